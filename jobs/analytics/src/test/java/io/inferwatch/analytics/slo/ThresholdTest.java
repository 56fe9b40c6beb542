package io.inferwatch.analytics.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ThresholdTest {
    private static final double ALPHA = (LogBuckets.GAMMA - 1) / (LogBuckets.GAMMA + 1);

    @Test
    void movesByNoMoreThanHalfABucket() {
        for (long asked = 1; asked < 4_000_000_000L; asked += 1 + asked / 97) {
            assertThat((double) Math.abs(Threshold.atMost(asked).effective() - asked))
                    .isLessThanOrEqualTo(ALPHA * asked + 0.5);
            assertThat((double) Math.abs(Threshold.atLeast(asked).effective() - asked))
                    .isLessThanOrEqualTo(ALPHA * asked + 0.5);
        }
    }

    @Test
    void smallNumbersStay() {
        for (long asked = 0; asked <= 130; asked++) {
            assertThat(Threshold.atMost(asked).effective()).isEqualTo(asked);
            assertThat(Threshold.atLeast(asked).effective()).isEqualTo(asked);
        }
    }

    /** At the effective threshold the sketch counts as a sorted array does, zeros and merges included. */
    @Test
    void countsExactlyThereSeed2() {
        SplittableRandom random = new SplittableRandom(2);
        long[] values = new long[20_000];
        QuantileSketch sketch = new QuantileSketch();
        QuantileSketch other = new QuantileSketch();
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 50 == 0 ? 0 : Math.round(Latencies.LOGNORMAL.quantile(random.nextDouble()));
            (i % 3 == 0 ? sketch : other).add(values[i]);
        }
        sketch.merge(other);
        for (long asked = 0; asked < 3_000_000; asked += 1 + asked / 31) {
            Threshold upper = Threshold.atMost(asked);
            Threshold lower = Threshold.atLeast(asked);
            assertThat(upper.count(sketch).good())
                    .isEqualTo(Arrays.stream(values)
                            .filter(value -> value <= upper.effective())
                            .count());
            assertThat(lower.count(sketch).good())
                    .isEqualTo(Arrays.stream(values)
                            .filter(value -> value >= lower.effective())
                            .count());
            assertThat(upper.count(sketch).total()).isEqualTo(values.length);
        }
    }

    /** Ten values, three of which are above 100: of ten answered, of eight with two that failed after their first token, of twelve with two without a value. */
    @Test
    void requestsThatFailedAreBadWhateverTheirValue() {
        QuantileSketch values = new QuantileSketch();
        values.add(50, 7);
        values.add(120, 3);
        Threshold limit = Threshold.atMost(100);
        assertThat(limit.countRequests(values, 10, 0)).isEqualTo(new Tally(7, 10));
        assertThat(limit.countRequests(values, 10, 5)).isEqualTo(new Tally(7, 15));
        assertThat(limit.countRequests(values, 8, 2)).isEqualTo(new Tally(5, 10));
        assertThat(limit.countRequests(values, 12, 1)).isEqualTo(new Tally(7, 11));
        assertThat(limit.countRequests(values, 2, 8)).isEqualTo(new Tally(0, 10));
        assertThat(limit.countRequests(new QuantileSketch(), 0, 4)).isEqualTo(new Tally(0, 4));
    }

    @Test
    void anEmptyDistributionHasNothingToCount() {
        assertThat(Threshold.atMost(5).count(new QuantileSketch())).isEqualTo(Tally.NONE);
        assertThat(Threshold.atLeast(0).count(new QuantileSketch())).isEqualTo(Tally.NONE);
    }

    @Test
    void whatASketchCannotTellApartIsRefused() {
        assertThatThrownBy(() -> Threshold.atMost(-1))
                .hasMessage("threshold: must be from 0 and below 3600000000000, found -1");
        assertThatThrownBy(() -> Threshold.atLeast(LogBuckets.MAX_VALUE))
                .hasMessage("threshold: must be from 0 and below 3600000000000, found 3600000000000");
    }
}
