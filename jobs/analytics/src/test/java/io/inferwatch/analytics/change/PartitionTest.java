package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.change.ChangeRule.Levels;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PartitionTest {
    private static final Levels LEVELS = new Levels(0.1, 1, 0.01, 0.001, 2);

    /** Against every partition there is, of 14 values with up to three levels. */
    @Test
    void isTheCheapestOfAllPartitionsSeeds1To60() {
        int found = 0;
        for (int seed = 1; seed <= 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            double[] values = new double[14];
            int first = random.nextInt(15);
            int second = random.nextInt(15);
            for (int i = 0; i < values.length; i++) {
                values[i] = (i < first ? 0 : 1.5) - (i < second ? 0 : 3) + 0.2 * random.nextGaussian();
            }
            SegmentCost cost = new SegmentCost(values, LEVELS);
            int[] cuts = Partition.of(cost, values.length, 2, LEVELS.minLength());
            assertThat(cuts).as("seed %d", seed).isEqualTo(cheapest(cost, values.length, 2));
            found += cuts.length;
        }
        assertThat(found).isGreaterThan(60);
    }

    /** Bit i of the number says whether there is a cut before value i + 1. */
    private static int[] cheapest(SegmentCost cost, int n, double price) {
        double best = Double.POSITIVE_INFINITY;
        List<Integer> cheapest = List.of();
        for (int bits = 0; bits < 1 << (n - 1); bits++) {
            List<Integer> cuts = new ArrayList<>();
            double sum = 0;
            int from = 0;
            boolean isLongEnough = true;
            for (int at = 1; at <= n; at++) {
                if (at == n || (bits & (1 << (at - 1))) != 0) {
                    isLongEnough &= at - from >= 2;
                    sum += cost.of(from, at);
                    if (at < n) {
                        cuts.add(at);
                        sum += price;
                    }
                    from = at;
                }
            }
            if (isLongEnough && sum < best) {
                best = sum;
                cheapest = cuts;
            }
        }
        return cheapest.stream().mapToInt(Integer::intValue).toArray();
    }

    @Test
    void fewerValuesThanTwoLevelsAreOne() {
        SegmentCost cost = new SegmentCost(new double[] {0, 0, 9}, LEVELS);
        assertThat(Partition.of(cost, 3, 0, 2)).isEmpty();
    }
}
