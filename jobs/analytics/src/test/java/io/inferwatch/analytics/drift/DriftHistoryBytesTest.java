package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.DriftHistory.Step;
import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DriftHistoryBytesTest {
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final long WINDOW_MICROS = 60_000_000;

    private final SplittableRandom random = new SplittableRandom(3);
    private final DriftHistory kept = new DriftHistory(WINDOW);
    private byte[] bytes = new DriftHistory(WINDOW).toBytes();
    private long endMicros;
    private int drifts;
    private int rebases;

    /** Traffic rises and falls, kinds come and go, panes and gaps too, and the server gets slower for two hours, thrice. */
    @Test
    void aHistoryFromItsBytesSaysTheSameSeed3() {
        for (int i = 0; i < 900; i++) {
            step(mixed(i % 100 < 20 ? 150 : 2_000, i % 300 > 150 ? 1.6 : 1), new Statistic.Quantile(0.99), i);
        }
        assertThat(drifts).isGreaterThan(20);
        assertThat(rebases).isPositive();
    }

    @Test
    void soDoesOneOfCountsSeed3() {
        for (int i = 0; i < 400; i++) {
            long events = random.nextInt(i % 200 > 100 ? 80 : 12);
            step(new Counts(events, 500 + events), new Statistic.Share(), i);
        }
        assertThat(drifts).isGreaterThan(20);
    }

    private void step(Sample window, Statistic statistic, int i) {
        DriftHistory decoded = DriftHistory.ofBytes(bytes);
        long start = endMicros;
        endMicros += WINDOW_MICROS * (i % 97 == 96 ? 20 : 1);
        for (int pane = 1; pane <= 6; pane++) {
            long paneEnd = start + pane * WINDOW_MICROS / 6;
            long above = random.nextInt(12);
            kept.addPane(paneEnd, 300, above);
            decoded.addPane(paneEnd, 300, above);
        }
        Step expected = kept.observe(window, endMicros, Optional.empty(), statistic, DriftRule.SLOWER);
        Step found = decoded.observe(window, endMicros, Optional.empty(), statistic, DriftRule.SLOWER);
        bytes = decoded.toBytes();
        assertThat(bytes).as("window %d", i).isEqualTo(kept.toBytes());
        assertThat(found.rebased()).isEqualTo(expected.rebased());
        assertThat(found.settled().toBytes()).isEqualTo(expected.settled().toBytes());
        assertThat(found.judged().isPresent()).isEqualTo(expected.judged().isPresent());
        expected.judged().ifPresent(judged -> assertSame(found.judged().orElseThrow(), judged));
        assertThat(decoded.tailBucket()).isEqualTo(kept.tailBucket());
        assertThat(decoded.regimeStartMicros()).isEqualTo(kept.regimeStartMicros());
        assertThat(decoded.lastEndMicros()).isEqualTo(endMicros);
        rebases += expected.rebased() ? 1 : 0;
    }

    private void assertSame(Judged found, Judged expected) {
        assertThat(found.raw()).isEqualTo(expected.raw());
        assertThat(found.adjusted()).isEqualTo(expected.adjusted());
        assertThat(found.parts()).isEqualTo(expected.parts());
        assertThat(found.meanParts()).isEqualTo(expected.meanParts());
        assertThat(found.windows()).isEqualTo(expected.windows());
        assertThat(found.units()).isEqualTo(expected.units());
        drifts += expected.server().verdict() == Verdict.DRIFT ? 1 : 0;
    }

    private Values mixed(int n, double factor) {
        Map<String, QuantileSketch> byBucket = new HashMap<>();
        for (int kind = 0; kind < 3; kind++) {
            int of = random.nextInt(n / 2);
            if (of > 0) {
                byBucket.put("kind " + kind, Latencies.LOGNORMAL.tailOf(of, factor * (1 + kind), random));
            }
        }
        byBucket.put("kind 3", Latencies.LOGNORMAL.tailOf(n, factor, random));
        return new Values(byBucket);
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] other = bytes.clone();
        other[0] = 9;
        assertThatThrownBy(() -> DriftHistory.ofBytes(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("drift history: version must be 2, found 9");
    }

    @Test
    void numbersOfAllSizesComeBack() {
        StateWriter out = new StateWriter();
        long[] numbers = {0, 1, 127, 128, 16_383, 16_384, Long.MAX_VALUE};
        long[] signed = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE};
        double[] reals = {0, -0.0, 1.5, Double.MIN_VALUE, Double.NEGATIVE_INFINITY};
        byte[] part = new byte[5_000];
        random.nextBytes(part);
        out.numbers(numbers);
        for (long value : signed) {
            out.signed(value);
        }
        for (double value : reals) {
            out.real(value);
        }
        out.part(part);
        out.part(new byte[0]);
        StateReader in = new StateReader(out.toBytes());
        assertThat(in.numbers()).containsExactly(numbers);
        for (long value : signed) {
            assertThat(in.signed()).isEqualTo(value);
        }
        for (double value : reals) {
            assertThat(in.real()).isEqualTo(value);
        }
        assertThat(in.part()).isEqualTo(part);
        assertThat(in.part()).isEmpty();
    }
}
