package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DriftFunctionTest {
    private static final long TEN =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final LogNormalDistribution SHAPE = LogNormalDistribution.of(11, 0.3);
    private static final int N = 1_000;
    private static final int PAST = 14;

    private final EventCodec codec = new EventCodec();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, Candidate> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new DriftFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
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
    void aSeriesIsJudgedWhenItsWindowComes() throws Exception {
        past(minute -> send("replica-version", "", N, natural(minute), minute));
        assertThat(results()).allMatch(result -> result.getRaw().getVerdict() != Verdict.DRIFT);
        send("replica-version", "", N, 1.5, PAST);

        DriftResult last = last();
        assertThat(last.getRaw().getVerdict()).isEqualTo(Verdict.DRIFT);
        assertThat(last.getRaw().getChange()).isCloseTo(0.5, within(0.05));
        assertThat(last.getAdjusted()).isNull();
        // The shape's P99 at factor 1.5: exp(11 + 0.3 * 2.326) microseconds.
        assertThat(last.getRaw().getCurrent()).isCloseTo(1.5 * Math.exp(11 + 0.3 * 2.3263) / 1e6, within(0.005));
        assertThat(last.getBaseline()).isEqualTo("recent");
        assertThat(last.getQuantiles()).hasSize(4);
    }

    @Test
    void kindsOfTrafficAreGatheredUntilTheEndAndJudgedTogether() throws Exception {
        past(minute -> {
            send("node-prompt", "0-511", 9 * N / 10, natural(minute), minute);
            send("node-prompt", "2048-8191", N / 10, 10 * natural(minute), minute);
            pass(minute);
        });
        // Half of the prompts are long now; each kind is as it was.
        send("node-prompt", "0-511", N / 2, 1, PAST);
        int before = results().size();
        send("node-prompt", "2048-8191", N / 2, 10, PAST);
        assertThat(results()).as("before event time has passed the end").hasSize(before);
        pass(PAST);

        DriftResult last = last();
        assertThat(last.getRaw().getVerdict()).isEqualTo(Verdict.DRIFT);
        assertThat(Objects.requireNonNull(last.getAdjusted()).getVerdict()).isNotEqualTo(Verdict.DRIFT);
        var mix = Objects.requireNonNull(last.getMix());
        assertThat(mix.getMix() / mix.getTotal()).isCloseTo(1, within(0.05));
        assertThat(mix.getShares())
                .filteredOn(share -> share.getBucket().equals("2048-8191"))
                .singleElement()
                .satisfies(share -> {
                    assertThat(share.getBaseline()).isCloseTo(0.1, within(1e-9));
                    assertThat(share.getCurrent()).isCloseTo(0.5, within(1e-9));
                });
    }

    @Test
    void aThresholdIsTakenWhileTheJobRuns() throws Exception {
        past(minute -> send("replica-version", "", N, natural(minute), minute));
        harness.processBroadcastElement(setting("100%"), 0);
        send("replica-version", "", N, 1.5, PAST);
        assertThat(last().getRaw().getThreshold()).isEqualTo(1);
        assertThat(last().getRaw().getVerdict()).isNotEqualTo(Verdict.DRIFT);
        // One that is wrong changes nothing; taken back, the catalogue's holds.
        harness.processBroadcastElement(setting("three"), 0);
        send("replica-version", "", N, 1.5, PAST + 1);
        assertThat(last().getRaw().getThreshold()).isEqualTo(1);
        harness.processBroadcastElement(setting(null), 0);
        send("replica-version", "", N, 1.5, PAST + 2);
        assertThat(last().getRaw().getThreshold()).isEqualTo(0.03);
        assertThat(last().getRaw().getVerdict()).isEqualTo(Verdict.DRIFT);
    }

    @Test
    void aWindowThatComesAgainIsLeftOut() throws Exception {
        past(minute -> send("replica-version", "", N, natural(minute), minute));
        int before = results().size();
        send("replica-version", "", N, 1.5, PAST - 1);
        assertThat(results()).hasSize(before);
    }

    private interface Sending {
        void send(int minute) throws Exception;
    }

    private static void past(Sending sending) throws Exception {
        for (int minute = 0; minute < PAST; minute++) {
            sending.send(minute);
        }
    }

    /** Windows differ by nature: by 2 % up and down. */
    private static double natural(int minute) {
        return 1 + 0.02 * Math.sin(minute);
    }

    private void send(String view, String arm, int n, double factor, int minute) throws Exception {
        harness.processElement(
                new GroupWindows(view, view, new Dimension("node", "n1"))
                        .values("ttft", n, i -> factor * SHAPE.inverseCumulativeProbability((i + 0.5) / n))
                        .member(arm, MINUTE, TEN + minute * MINUTE),
                0);
    }

    private void pass(int minute) throws Exception {
        harness.processWatermark(new Watermark((TEN + minute * MINUTE) / 1_000));
        harness.processBroadcastWatermark(new Watermark((TEN + minute * MINUTE) / 1_000));
    }

    private InboundRecord setting(@Nullable String body) {
        return new InboundRecord(
                "config",
                0,
                0,
                0,
                "threshold/ttft".getBytes(StandardCharsets.UTF_8),
                body == null ? null : codec.encode(new Setting("threshold", "ttft", 0L, body)));
    }

    private List<DriftResult> results() {
        return harness.extractOutputValues().stream()
                .map(candidate -> {
                    try {
                        return codec.decode(candidate.result(), DriftResult.class);
                    } catch (UndecodableEventException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    private DriftResult last() {
        List<DriftResult> results = results();
        return results.get(results.size() - 1);
    }
}
