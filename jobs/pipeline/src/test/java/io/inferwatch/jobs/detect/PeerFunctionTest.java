package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Six replicas that do the same work, TTFT of about 100 ms and half of their prompts from the cache, seed 3; their places are learned in an hour. */
class PeerFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-05T00:00:00Z").toEpochMilli();
    private static final int REPLICAS = 6;
    private static final int LEARNED = 65;

    private final EventCodec codec = new EventCodec();
    private final SplittableRandom random = new SplittableRandom(3);
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new PeerFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void oneThatIsSlowerThanTheOthersIsToldInItsThirdMinute() throws Exception {
        run(1, LEARNED, replica -> 1, replica -> 1);
        run(LEARNED + 1, LEARNED + 4, replica -> replica == 2 ? 1.5 : 1, replica -> 1);

        List<FigureResult> told = results().stream()
                .filter(result -> result.getCounts().get("told") == 1)
                .toList();
        assertThat(told).hasSize(2).allSatisfy(result -> {
            assertThat(result.getKind()).isEqualTo("straggler");
            assertThat(result.getDimensions())
                    .containsExactly(
                            new Dimension("replica", "r2"),
                            new Dimension("version", "v1"),
                            new Dimension("metric", "ttft"),
                            new Dimension("statistic", "p50"));
            assertThat(result.getValues().get("observed")).isCloseTo(0.15, within(0.01));
            assertThat(result.getValues().get("peers")).isCloseTo(0.1, within(0.005));
            assertThat(result.getValues().get("usual")).isCloseTo(0.1, within(0.005));
            assertThat(result.getValues().get("score")).isGreaterThan(1);
        });
        assertThat(told.get(0).getWindowEndMicros()).isEqualTo(START + (LEARNED + 3) * MINUTE);
        assertThat(standings())
                .filteredOn(Standing::told)
                .extracting(Standing::lasting)
                .containsExactly(false, true);
        assertThat(standings()).noneMatch(Standing::promoted);
    }

    @Test
    void oneThatFindsLessInItsCacheIsOneToo() throws Exception {
        set("cache_reuse.mean", "{mode: promoted}");
        run(1, LEARNED, replica -> 1, replica -> 1);
        run(LEARNED + 1, LEARNED + 3, replica -> 1, replica -> replica == 4 ? 0.2 : 1);
        assertThat(standings()).filteredOn(Standing::told).singleElement().satisfies(standing -> {
            assertThat(standing.series()).isEqualTo("replica-version/r4/v1");
            assertThat(standing.watched()).isEqualTo("cache_reuse.mean among peers");
            assertThat(standing.promoted()).isTrue();
        });
        run(LEARNED + 4, LEARNED + 6, replica -> 1, replica -> replica == 4 ? 1.5 : 1);
        assertThat(standings())
                .as("it finds more")
                .filteredOn(Standing::recovered)
                .hasSize(1);
    }

    @Test
    void whatBefallsTheFleetStrikesNobody() throws Exception {
        run(1, LEARNED, replica -> 1, replica -> 1);
        run(LEARNED + 1, LEARNED + 6, replica -> replica < 3 ? 1.5 : 1, replica -> 1);
        assertThat(standings()).isNotEmpty().noneMatch(Standing::told);
    }

    @Test
    void nobodyIsJudgedBeforeItsPlaceIsKnownNorWhereNobodyWatches() throws Exception {
        run(1, 50, replica -> replica == 2 && random.nextBoolean() ? 1.5 : 1, replica -> 1);
        assertThat(results()).isEmpty();
        set("all", "{mode: unwatched}");
        run(51, LEARNED, replica -> 1, replica -> 1);
        assertThat(results()).isEmpty();
    }

    @Test
    void aGroupThatHasFallenSilentIsForgotten() throws Exception {
        run(1, 3, replica -> 1, replica -> 1);
        pass((int) Duration.ofDays(2).toMinutes());
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        assertThat(((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries())
                .isZero();
    }

    private void run(int first, int last, IntToDoubleFunction latency, IntToDoubleFunction reuse) throws Exception {
        for (int minute = first; minute <= last; minute++) {
            for (int replica = 0; replica < REPLICAS; replica++) {
                double micros = 100_000 * latency.applyAsDouble(replica) * near();
                double ppm = 500_000 * reuse.applyAsDouble(replica) * near();
                String series = "replica-version/r" + replica + "/v1";
                harness.processElement(
                        new GroupWindows(
                                        "replica-version",
                                        "replica-version",
                                        new Dimension("replica", "r" + replica),
                                        new Dimension("version", "v1"))
                                .values("ttft", 50, i -> micros)
                                .values("cache_reuse", 50, i -> ppm)
                                .member("replica-version/v1", series, MINUTE, START + minute * MINUTE),
                        0);
            }
            pass(minute);
        }
    }

    private double near() {
        return 1 + 0.02 * (random.nextDouble() - 0.5);
    }

    private void pass(int minute) throws Exception {
        long watermark = (START + minute * MINUTE) / 1_000;
        harness.processWatermark(watermark);
        harness.processBroadcastWatermark(watermark);
    }

    private void set(String name, String body) throws Exception {
        harness.processBroadcastElement(
                new InboundRecord(
                        "config",
                        0,
                        0,
                        0,
                        ("anomaly/" + name).getBytes(StandardCharsets.UTF_8),
                        codec.encode(new Setting("anomaly", name, START, body))),
                0);
    }

    private List<FigureResult> results() {
        List<FigureResult> results = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            try {
                results.add(codec.decode(record.value(), FigureResult.class));
            } catch (UndecodableEventException e) {
                throw new AssertionError(e);
            }
        }
        return results;
    }

    private List<Standing> standings() {
        List<Standing> standings = new ArrayList<>();
        var output = harness.getSideOutput(PeerFunction.STANDINGS);
        if (output != null) {
            output.forEach(record -> standings.add(record.getValue()));
        }
        return standings;
    }
}
