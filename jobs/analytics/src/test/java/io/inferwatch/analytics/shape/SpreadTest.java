package io.inferwatch.analytics.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.GammaDistribution;
import org.junit.jupiter.api.Test;

class SpreadTest {
    /** Computed by SciPy 1.17 from the 400 values themselves; a jackknife gives the variation's error as 0.0191, the formula 0.0189. */
    @Test
    void fourHundredGammaValues() {
        QuantileSketch sketch = new QuantileSketch();
        GammaDistribution gamma = GammaDistribution.of(4, 25_000);
        for (int i = 0; i < 400; i++) {
            sketch.add(Math.round(gamma.inverseCumulativeProbability((i + 0.5) / 400)));
        }
        Spread spread = Spread.of(sketch).orElseThrow();
        assertThat(spread.n()).isEqualTo(400);
        assertThat(spread.mean().value()).isCloseTo(99_975.0425, within(0.01));
        assertThat(spread.mean().low()).isCloseTo(95_068.42, within(20.0));
        assertThat(spread.mean().high()).isCloseTo(104_881.66, within(20.0));
        assertThat(spread.variation().value()).isCloseTo(0.49929, within(0.002));
        assertThat(spread.variation().low()).isCloseTo(0.46227, within(0.003));
        assertThat(spread.variation().high()).isCloseTo(0.53632, within(0.003));
    }

    @Test
    void limitsHoldTheTruthNineteenTimesOfTwentySeed17() {
        SplittableRandom random = new SplittableRandom(17);
        GammaDistribution gamma = GammaDistribution.of(4, 25_000);
        int mean = 0;
        int variation = 0;
        int samples = 1_000;
        for (int i = 0; i < samples; i++) {
            QuantileSketch sketch = new QuantileSketch();
            for (int j = 0; j < 300; j++) {
                sketch.add(Math.round(gamma.inverseCumulativeProbability(random.nextDouble())));
            }
            Spread spread = Spread.of(sketch).orElseThrow();
            mean += holds(spread.mean(), 100_000) ? 1 : 0;
            variation += holds(spread.variation(), 0.5) ? 1 : 0;
        }
        // Three standard errors of a share of 0.95 of 1,000 are 0.021; the delta method may take two points more.
        assertThat(mean / (double) samples).isBetween(0.929, 0.971);
        assertThat(variation / (double) samples).isBetween(0.909, 0.971);
    }

    @Test
    void fewOrEmptyValuesHaveNone() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(5, 29);
        assertThat(Spread.of(sketch)).isEmpty();
        sketch.add(5);
        assertThat(Spread.of(sketch).orElseThrow().variation().value()).isCloseTo(0, within(1e-9));
        QuantileSketch zeros = new QuantileSketch();
        zeros.add(0, 100);
        assertThat(Spread.of(zeros)).isEmpty();
    }

    private static boolean holds(Estimate estimate, double truth) {
        return estimate.low() <= truth && truth <= estimate.high();
    }
}
