package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LogBucketsTest {
    /** What the fast index must agree with. */
    private static final LogarithmicMapping REFERENCE = new LogarithmicMapping(Math.pow(1.03, 0.25), 0);

    private static final double ALPHA = 0.0037;

    @Test
    void theIndexIsTheReferencesAtEveryEdge() {
        for (int bucket = 0; bucket < LogBuckets.COUNT; bucket++) {
            long edge = (long) LogBuckets.lowerBound(bucket);
            for (long value = Math.max(1, edge - 1); value <= edge + 2 && value <= LogBuckets.MAX_VALUE; value++) {
                assertThat(LogBuckets.index(value)).as("index of %d", value).isEqualTo(REFERENCE.index((double) value));
            }
        }
    }

    @Test
    void theIndexIsTheReferencesForAnyValue() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 1_000_000; i++) {
            // Every order of magnitude as often, a quarter beyond the greatest value.
            long value = 1 + (random.nextLong() >>> random.nextInt(8, 64));
            int expected = value >= LogBuckets.MAX_VALUE
                    ? REFERENCE.index((double) LogBuckets.MAX_VALUE)
                    : REFERENCE.index((double) value);
            if (LogBuckets.index(value) != expected) {
                assertThat(LogBuckets.index(value)).as("index of %d", value).isEqualTo(expected);
            }
        }
    }

    @Test
    void theIndexNeverFalls() {
        int last = 0;
        for (long value = 1; value < 200_000; value++) {
            int index = LogBuckets.index(value);
            assertThat(index).isBetween(last, LogBuckets.COUNT - 1);
            last = index;
        }
    }

    @Test
    void theLeastValueIsTheFirstThatTheReferenceDoesNotPutBelow() {
        for (int bucket = 0; bucket < LogBuckets.COUNT; bucket++) {
            long least = LogBuckets.leastValue(bucket);
            assertThat(REFERENCE.index((double) least)).isGreaterThanOrEqualTo(bucket);
            assertThat(least == 1 || REFERENCE.index((double) (least - 1)) < bucket)
                    .as("least value of bucket %d", bucket)
                    .isTrue();
        }
    }

    @Test
    void greaterValuesShareTheLastBucket() {
        assertThat(LogBuckets.index(LogBuckets.MAX_VALUE)).isEqualTo(LogBuckets.COUNT - 1);
        assertThat(LogBuckets.index(LogBuckets.MAX_VALUE + 1)).isEqualTo(LogBuckets.COUNT - 1);
        assertThat(LogBuckets.index(Long.MAX_VALUE)).isEqualTo(LogBuckets.COUNT - 1);
        assertThat(LogBuckets.index(1)).isZero();
    }

    @Test
    void bucketsFollowEachOtherWithoutAGap() {
        for (int bucket = 0; bucket < LogBuckets.COUNT; bucket++) {
            assertThat(LogBuckets.upperBound(bucket)).isEqualTo(LogBuckets.lowerBound(bucket + 1));
            assertThat(LogBuckets.upperBound(bucket) / LogBuckets.lowerBound(bucket))
                    .isCloseTo(LogBuckets.GAMMA, within(1e-9));
        }
    }

    @Test
    void threePercentAreFourBuckets() {
        for (int bucket = 0; bucket < LogBuckets.COUNT; bucket++) {
            assertThat(LogBuckets.lowerBound(bucket + 4) / LogBuckets.lowerBound(bucket))
                    .isCloseTo(1.03, within(1e-9));
        }
    }

    @Test
    void theRepresentativeIsNearToAllThatTheBucketHolds() {
        for (int bucket = 0; bucket < LogBuckets.COUNT; bucket++) {
            double representative = LogBuckets.representative(bucket);
            assertThat(Math.abs(representative / LogBuckets.lowerBound(bucket) - 1))
                    .isLessThan(ALPHA);
            assertThat(Math.abs(representative / LogBuckets.upperBound(bucket) - 1))
                    .isLessThan(ALPHA);
        }
    }
}
