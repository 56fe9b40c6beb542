package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** P-values against what readings are known to come from. */
class PastReadingsTest {
    private final PastReadings past = new PastReadings();

    /** Of 1 to 1,000 thousandths 100 are above 0.9: 101 of 1,001. Buckets are 0.74 % wide. */
    @Test
    void withinTheReadingsItIsTheirRank() {
        for (int i = 1; i <= 1_000; i++) {
            past.add(i / 1_000.0);
        }
        assertThat(past.p(0.9)).isCloseTo(101 / 1_001.0, within(0.008));
        assertThat(past.p(0.5)).isCloseTo(501 / 1_001.0, within(0.005));
    }

    /** Exponential readings of mean 0.1 go on as they are: exp(-10 s). */
    @Test
    void beyondTheReadingsItIsTheTailSeed3() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            past.add(-0.1 * Math.log(1 - random.nextDouble()));
        }
        for (double strangeness : new double[] {0.8, 1, 1.2, 1.6}) {
            double logarithm = Math.log(past.p(strangeness));
            assertThat(logarithm).isCloseTo(-10 * strangeness, within(0.1 * 10 * strangeness));
        }
    }

    /** However strange, one reading counts as two limits: the next one of 1.5 is as improbable as before, but for its rank. */
    @Test
    void anAnomalyIsNotTheMeasureOfTheNext() {
        for (int i = 0; i < 1_000; i++) {
            past.add(0.1);
        }
        double before = past.p(1.5);
        past.add(1_000);
        assertThat(past.p(1.5)).isLessThan(1e-3).isGreaterThanOrEqualTo(before);
        assertThat(past.n()).isEqualTo(1_001);
    }

    /** A flat series has no tail of its own; then a twentieth of a limit is one. */
    @Test
    void withoutATailThereIsALeastOne() {
        for (int i = 0; i < 1_000; i++) {
            past.add(0);
        }
        assertThat(past.p(1)).isCloseTo(0.05 * Math.exp(-20), within(1e-12));
    }
}
