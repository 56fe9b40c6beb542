package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BucketCountsTest {
    @Test
    void countsOfOneGridAddUp() {
        BucketCounts merged = counts(new long[] {10, 20}, 1, 2, 3).merge(counts(new long[] {10, 20}, 4, 5, 6));
        assertThat(merged).isEqualTo(new BucketCounts(new long[] {10, 20}, new long[] {5, 7, 9}, 14));
        assertThat(merged.n()).isEqualTo(21);
    }

    @Test
    void differentGridsMeetOnTheBoundsThatBothHave() {
        // (.., 10] 1, (10, 20] 2, (20, 40] 3, above 4; and (.., 5] 5, (5, 20] 6, (20, 30] 7, above 8.
        BucketCounts merged =
                counts(new long[] {10, 20, 40}, 1, 2, 3, 4).merge(counts(new long[] {5, 20, 30}, 5, 6, 7, 8));
        assertThat(merged).isEqualTo(new BucketCounts(new long[] {20}, new long[] {14, 22}, 14));
    }

    @Test
    void gridsWithNothingInCommonKeepTheirNumber() {
        BucketCounts merged = counts(new long[] {10}, 1, 2).merge(counts(new long[] {11}, 3, 4));
        assertThat(merged.boundsMicros()).isEmpty();
        assertThat(merged.n()).isEqualTo(10);
    }

    @Test
    void aGridHasOneBucketMoreThanBounds() {
        assertThatThrownBy(() -> counts(new long[] {10}, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("histogram: must have one count more than its 1 bounds, found 1");
    }

    private static BucketCounts counts(long[] bounds, long... counts) {
        return new BucketCounts(bounds, counts, 7);
    }
}
