package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollUpFunctionTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final MetricLayout METRICS = MetricLayout.of(MetricCatalogue.shipped(), Metric.Origin.REQUESTS);
    private static final int TTFT =
            METRICS.quantiles().stream().map(m -> m.name()).toList().indexOf("ttft");

    private KeyedOneInputStreamOperatorTestHarness<String, Partial, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = harness(0);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void windowsLeaveWhenTheWatermarkPassesTheirEnd() throws Exception {
        send(TEN + 10_000, 100, 200);
        harness.processWatermark(TEN + 10_498);
        assertThat(windows()).isEmpty();
        harness.processWatermark(TEN + 10_499);
        assertThat(windows()).singleElement().satisfies(w -> {
            assertThat(w.getWindowMicros()).isEqualTo(10_000_000);
            assertThat(w.getWindowEndMicros()).isEqualTo((TEN + 10_000) * 1000);
            assertThat(w.getRequests()).isEqualTo(2);
            assertThat(w.getRevision()).isZero();
        });
        harness.processWatermark(TEN + 60_998);
        assertThat(windows()).hasSize(1);
        harness.processWatermark(TEN + 60_999);
        assertThat(windows()).hasSize(2).last().satisfies(w -> assertThat(w.getWindowMicros())
                .isEqualTo(60_000_000));
        harness.processWatermark(TEN + 3_601_999);
        assertThat(windows()).hasSize(3).last().satisfies(w -> {
            assertThat(w.getWindowMicros()).isEqualTo(3_600_000_000L);
            assertThat(w.getRequests()).isEqualTo(2);
        });
    }

    @Test
    void aWatermarkThatLeapsOverHoursClosesEveryWindowOnTheWay() throws Exception {
        send(TEN + 10_000, 1);
        send(TEN + 50_000, 2, 3);
        send(TEN + 3_600_000 + 20_000, 4);
        harness.processWatermark(Long.MAX_VALUE);
        assertThat(byLength(windows())).isEqualTo(Map.of(10_000_000L, 4L, 60_000_000L, 4L, 3_600_000_000L, 4L));
    }

    @Test
    void windowsMadeAnewLeaveOnceAndWholeHoweverTheirPartsCome() throws Exception {
        harness.close();
        harness = harness(Windows.ANEW_REVISION);
        harness.open();
        send(TEN + 3_600_000 + 20_000, 4);
        send(TEN + 50_000, 2, 3);
        send(TEN + 10_000, 1);
        send(TEN + 50_000, 5);
        assertThat(windows()).as("before the end of event time").isEmpty();
        harness.processWatermark(Long.MAX_VALUE);
        assertThat(windows())
                .extracting(
                        w -> w.getWindowMicros() / 1_000_000,
                        w -> (w.getWindowEndMicros() / 1_000 - TEN) / 1_000,
                        WindowStat::getRequests,
                        WindowStat::getRevision)
                .containsExactlyInAnyOrder(
                        Tuple.tuple(10L, 10L, 1L, 1_000_000),
                        Tuple.tuple(10L, 50L, 3L, 1_000_000),
                        Tuple.tuple(60L, 60L, 4L, 1_000_000),
                        Tuple.tuple(3_600L, 3_600L, 4L, 1_000_000),
                        Tuple.tuple(10L, 3_620L, 1L, 1_000_000),
                        Tuple.tuple(60L, 3_660L, 1L, 1_000_000),
                        Tuple.tuple(3_600L, 7_200L, 1L, 1_000_000));
    }

    @Test
    void aLatePartialRevisesEveryWindowThatWasPublishedAndNoneTakesAnythingBack() throws Exception {
        send(TEN + 10_000, 100);
        send(TEN + 20_000, 200);
        harness.processWatermark(TEN + 61_000);
        harness.getOutput().clear();

        send(TEN + 10_000, 300);
        assertThat(windows()).hasSize(2).allSatisfy(w -> assertThat(w.getRevision())
                .isEqualTo(1));
        assertThat(windows().get(0).getRequests()).isEqualTo(2);
        assertThat(windows().get(1).getRequests()).isEqualTo(3);

        harness.getOutput().clear();
        harness.processWatermark(TEN + 3_601_999);
        assertThat(windows()).singleElement().satisfies(hour -> {
            assertThat(hour.getRequests()).as("the hour has what came late").isEqualTo(3);
            assertThat(hour.getRevision()).isZero();
        });

        harness.getOutput().clear();
        send(TEN + 3_600_000, 400);
        assertThat(windows())
                .extracting(WindowStat::getWindowMicros, WindowStat::getRevision, WindowStat::getRequests)
                .containsExactly(
                        Tuple.tuple(10_000_000L, 0, 1L),
                        Tuple.tuple(60_000_000L, 0, 1L),
                        Tuple.tuple(3_600_000_000L, 1, 4L));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void anyOrderWithinLatenessAndARestoreOnTheWayGiveTheSameWindows(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> expected = new TreeMap<>();
        Map<String, QuantileSketch> expectedSketches = new HashMap<>();
        List<WindowStat> published = new ArrayList<>();
        long watermark = TEN;
        for (int i = 0; i < 400; i++) {
            // Some panes are ahead of the watermark, some up to nine minutes behind.
            long paneEnd = (watermark / 10_000 + random.nextLong(-54, 7)) * 10_000;
            long value = random.nextLong(1, 5_000_000);
            send(paneEnd, value);
            for (long length : new long[] {10_000, 60_000, 3_600_000}) {
                String window = length + "@" + (paneEnd + length - 1) / length * length;
                expected.merge(window, 1L, Long::sum);
                expectedSketches
                        .computeIfAbsent(window, w -> new QuantileSketch())
                        .add(value);
            }
            if (random.nextInt(3) == 0) {
                watermark += random.nextLong(1, 20_000);
                harness.processWatermark(watermark);
            }
            if (i == 200) {
                published.addAll(windows());
                OperatorSubtaskState state = harness.snapshot(1, 1);
                harness.close();
                harness = harness(0);
                harness.initializeState(state);
                harness.open();
                // A restored job begins without a watermark: what comes before the first one may be late all the same.
            }
        }
        harness.processWatermark(Long.MAX_VALUE);
        published.addAll(windows());

        Map<String, WindowStat> latest = new TreeMap<>();
        for (WindowStat window : published) {
            latest.merge(
                    window.getWindowMicros() / 1000 + "@" + window.getWindowEndMicros() / 1000,
                    window,
                    (a, b) -> b.getRequests() >= a.getRequests() ? b : a);
        }
        Map<String, Long> requests = new TreeMap<>();
        latest.forEach((key, window) -> requests.put(key, window.getRequests()));
        assertThat(requests).isEqualTo(expected);
        latest.forEach((key, window) -> assertThat(window.getSketches().get(0).getSketch())
                .isEqualTo(ByteBuffer.wrap(SketchEncoding.encode(expectedSketches.get(key)))));
    }

    @Test
    void panesOfAllSeriesLeaveBeforeTheFirstMinuteAndMinutesBeforeTheFirstHour() throws Exception {
        for (int node = 0; node < 20; node++) {
            send("n" + node, TEN + 3_600_000, 1);
        }
        harness.processWatermark(TEN + 3_602_000);
        List<Long> lengths = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            lengths.add(
                    new EventCodec().decode(record.value(), WindowStat.class).getWindowMicros());
        }
        assertThat(lengths).hasSize(60).isSorted();
    }

    @Test
    void stateIsEmptyOnceLatenessCannotReachItAnyMore() throws Exception {
        send(TEN + 10_000, 1);
        send(TEN + 1_800_000, 2);
        harness.processWatermark(TEN + Duration.ofHours(1).plusMinutes(11).toMillis());
        assertThat(harness.numKeyedStateEntries())
                .as("the hour may still be revised")
                .isEqualTo(1);
        harness.processWatermark(TEN + Duration.ofHours(1).plusMinutes(12).toMillis());
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    private static KeyedOneInputStreamOperatorTestHarness<String, Partial, OutboundRecord> harness(int firstRevision)
            throws Exception {
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(
                        new RollUpFunction(MetricCatalogue.shippedYaml(), Duration.ofMinutes(10), firstRevision)),
                Partial::series,
                Types.STRING);
    }

    private void send(long paneEndMillis, long... ttftMicros) throws Exception {
        send("n/1", paneEndMillis, ttftMicros);
    }

    private void send(String node, long paneEndMillis, long... ttftMicros) throws Exception {
        WindowContent content = new WindowContent(METRICS);
        for (long value : ttftMicros) {
            content.countEvents(1);
            content.addToSketch(TTFT, value, 1);
        }
        harness.processElement(
                new StreamRecord<>(new Partial("node", new String[] {node}, paneEndMillis, content.encode())));
    }

    private List<WindowStat> windows() throws Exception {
        List<WindowStat> windows = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            WindowStat window = new EventCodec().decode(record.value(), WindowStat.class);
            assertThat(window.getSeries()).isEqualTo("node/n%2f1");
            assertThat(window.getDimensions().get(0).getValue()).isEqualTo("n/1");
            windows.add(window);
        }
        return windows;
    }

    private static Map<Long, Long> byLength(List<WindowStat> windows) {
        Map<Long, Long> byLength = new HashMap<>();
        windows.forEach(w -> byLength.merge(w.getWindowMicros(), w.getRequests(), Long::sum));
        return byLength;
    }
}
