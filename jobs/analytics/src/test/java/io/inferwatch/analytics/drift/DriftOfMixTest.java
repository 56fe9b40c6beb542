package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A key whose traffic is told apart: prompts of three lengths, each three times slower than the shorter ones. */
class DriftOfMixTest {
    private static final String[] LENGTHS = {"short", "middle", "long"};

    private final SplittableRandom random = new SplittableRandom(4);
    private final DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
    private long endMicros;

    @Test
    void longerPromptsAloneAreTheTrafficSeed4() {
        for (int i = 0; i < 12 + 16; i++) {
            next(1, 16_000, 3_000, 1_000);
        }
        for (int i = 0; i < 10; i++) {
            Judged judged = next(1, 10_000, 5_000, 5_000).orElseThrow();
            assertThat(judged.raw().verdict()).isEqualTo(Verdict.DRIFT);
            assertThat(judged.server().verdict()).isIn(Verdict.NO_DRIFT, Verdict.INCONCLUSIVE);
            assertThat(judged.parts().mixShare().orElseThrow()).isBetween(0.9, 1.1);
            assertThat(judged.meanParts().mixShare().orElseThrow()).isBetween(0.9, 1.1);
            assertThat(judged.covered()).isEqualTo(1);
        }
    }

    @Test
    void aSlowerServerIsTheServerSeed4() {
        for (int i = 0; i < 12 + 16; i++) {
            next(1, 16_000, 3_000, 1_000);
        }
        for (int i = 0; i < 10; i++) {
            Judged judged = next(1.5, 16_000, 3_000, 1_000).orElseThrow();
            assertThat(judged.raw().verdict()).isEqualTo(Verdict.DRIFT);
            assertThat(judged.server().verdict()).isEqualTo(Verdict.DRIFT);
            assertThat(judged.parts().mixShare().orElseThrow()).isBetween(-0.1, 0.1);
            assertThat(judged.meanParts().mixShare().orElseThrow()).isBetween(-0.1, 0.1);
        }
    }

    /** What governs is the adjusted finding: a slower server that shorter prompts hide is found, and stays out of the baseline. */
    @Test
    void shorterPromptsDoNotHideASlowerServerSeed4() {
        for (int i = 0; i < 12 + 16; i++) {
            next(1, 10_000, 5_000, 5_000);
        }
        for (int i = 0; i < 10; i++) {
            Judged judged = next(1.5, 16_000, 3_000, 1_000).orElseThrow();
            assertThat(judged.raw().verdict()).isNotEqualTo(Verdict.DRIFT);
            assertThat(judged.server().verdict()).isEqualTo(Verdict.DRIFT);
            assertThat(judged.baseline().n()).isEqualTo(28 * 20_000);
        }
    }

    /** Nothing can be adjusted where less than half is alike: the traffic is new, and nothing is said of the server. */
    @Test
    void newTrafficSaysNothingOfTheServerSeed4() {
        for (int i = 0; i < 12; i++) {
            next(1, 20_000, 0, 0);
        }
        Judged judged = next(1, 5_000, 0, 15_000).orElseThrow();
        assertThat(judged.covered()).isEqualTo(0.25);
        assertThat(judged.raw().verdict()).isEqualTo(Verdict.DRIFT);
        assertThat(judged.server().verdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
        assertThat(judged.parts()).isNull();
    }

    private Optional<Judged> next(double factor, int... counts) {
        Map<String, QuantileSketch> byLength = new HashMap<>();
        double nature = 1 + 0.01 * Math.sin(2.4 * (double) endMicros / 60_000_000);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                byLength.put(
                        LENGTHS[i], Latencies.LOGNORMAL.sample(counts[i], nature * factor * Math.pow(3, i), random));
            }
        }
        endMicros += 60_000_000;
        return history.observe(
                        new Values(byLength),
                        endMicros,
                        Optional.empty(),
                        new Statistic.Quantile(0.99),
                        DriftRule.SLOWER)
                .judged();
    }
}
