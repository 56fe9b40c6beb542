package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DesignEffectTest {
    private static final int SLOW = LogBuckets.index(50);

    /** Twelve panes of 100 with shares whose variance over q (1 - q) / 100 is worked out here as the definition has it. */
    @Test
    void equalPanesHaveTheVarianceOfTheirSharesOverTheBinomialOne() {
        int[] slow = {1, 0, 2, 5, 0, 1, 0, 7, 1, 0, 1, 6};
        List<QuantileSketch> panes = new ArrayList<>();
        double mean = 0;
        for (int above : slow) {
            panes.add(pane(100, above));
            mean += above / 100.0 / slow.length;
        }
        double variance = 0;
        for (int above : slow) {
            variance += Math.pow(above / 100.0 - mean, 2) / (slow.length - 1);
        }
        assertThat(DesignEffect.of(panes, SLOW).orElseThrow())
                .isCloseTo(variance / (mean * (1 - mean) / 100), within(1e-9));
    }

    @Test
    void independentValuesHaveADesignEffectOfOneSeed5() {
        SplittableRandom random = new SplittableRandom(5);
        List<QuantileSketch> panes = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int n = random.nextInt(50, 400);
            panes.add(pane(n, (int) random.doubles(n).filter(u -> u < 0.05).count()));
        }
        // Its standard error is sqrt(2 / 1999) = 0.032.
        assertThat(DesignEffect.of(panes, SLOW).orElseThrow()).isCloseTo(1, within(0.1));
    }

    /** Batches of ten requests that are slow together: exactly ten. */
    @Test
    void requestsThatAreSlowInTensTellATenthSeed6() {
        SplittableRandom random = new SplittableRandom(6);
        List<QuantileSketch> panes = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            panes.add(pane(
                    400, 10 * (int) random.doubles(40).filter(u -> u < 0.05).count()));
        }
        assertThat(DesignEffect.of(panes, SLOW).orElseThrow()).isCloseTo(10, within(1.0));
    }

    @Test
    void fewPanesAndSharesOfNoneOrAllSayNothing() {
        List<QuantileSketch> panes = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            panes.add(pane(100, i));
        }
        panes.add(new QuantileSketch());
        assertThat(DesignEffect.of(panes, SLOW)).isEmpty();
        panes.add(pane(100, 3));
        assertThat(DesignEffect.of(panes, SLOW)).isPresent();
        assertThat(DesignEffect.of(panes, LogBuckets.index(1_000))).isEmpty();
        assertThat(DesignEffect.of(panes, -1)).isEmpty();
        assertThat(DesignEffect.of(List.of(), SLOW)).isEmpty();
    }

    private static QuantileSketch pane(int n, int slow) {
        QuantileSketch pane = new QuantileSketch();
        for (int i = 0; i < n; i++) {
            pane.add(i < slow ? 100 : 10);
        }
        return pane;
    }
}
