package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FalseDiscoveryTest {
    /** Benjamini and Hochberg's own example: of fifteen, four are discoveries at 5 %. */
    @Test
    void thePublishedExample() {
        double[] p = {
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1
        };
        double[] adjusted = FalseDiscovery.adjusted(p);
        assertThat(Arrays.stream(adjusted).filter(q -> q <= 0.05)).hasSize(4);
        // Computed by SciPy 1.17, false_discovery_control.
        double[] expected = {
            0.0015,
            0.003,
            0.0095,
            0.035625,
            0.0603,
            0.06385714,
            0.06385714,
            0.0645,
            0.0765,
            0.486,
            0.58118182,
            0.714875,
            0.75323077,
            0.81321429,
            1
        };
        assertThat(adjusted).usingComparatorWithPrecision(1e-7).containsExactly(expected);
        double[] reversed = new double[p.length];
        for (int i = 0; i < p.length; i++) {
            reversed[i] = p[p.length - 1 - i];
        }
        double[] ofReversed = FalseDiscovery.adjusted(reversed);
        for (int i = 0; i < p.length; i++) {
            assertThat(ofReversed[i]).isCloseTo(adjusted[p.length - 1 - i], within(1e-15));
        }
    }

    @Test
    void oneKeyStaysAsItIsAndNoneGivesNone() {
        assertThat(FalseDiscovery.adjusted(new double[] {0.03})).containsExactly(0.03);
        assertThat(FalseDiscovery.adjusted(new double[0])).isEmpty();
    }

    /** 900 keys without and 100 with a change: the mean share of false ones among alarms stays below 5 % times 0.9. */
    @Test
    void falseAlarmsAreAStatedPartOfAllSeed7() {
        SplittableRandom random = new SplittableRandom(7);
        double falseShare = 0;
        double found = 0;
        int rounds = 400;
        for (int round = 0; round < rounds; round++) {
            double[] p = new double[1_000];
            Arrays.setAll(p, key -> key < 900 ? random.nextDouble() : random.nextDouble() * random.nextDouble() * 1e-3);
            double[] adjusted = FalseDiscovery.adjusted(p);
            int alarms = 0;
            int wrong = 0;
            for (int key = 0; key < p.length; key++) {
                if (adjusted[key] <= 0.05) {
                    alarms++;
                    wrong += key < 900 ? 1 : 0;
                }
            }
            falseShare += alarms == 0 ? 0 : (double) wrong / alarms;
            found += alarms - wrong;
        }
        // Exactly 0.045 for independent keys; the standard error of 400 rounds is about 0.001.
        assertThat(falseShare / rounds).isBetween(0.04, 0.05);
        assertThat(found / rounds).isGreaterThan(95);
    }
}
