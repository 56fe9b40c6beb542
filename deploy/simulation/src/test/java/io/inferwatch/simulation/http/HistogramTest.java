package io.inferwatch.simulation.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HistogramTest {
    @Test
    void aValueCountsInEachBucketThatReachesIt() {
        Histogram histogram = new Histogram(1, 2);
        histogram.add(1);
        histogram.add(1.5);
        histogram.add(7);

        assertThat(histogram.countUpTo(0)).isEqualTo(1);
        assertThat(histogram.countUpTo(1)).isEqualTo(2);
        assertThat(histogram.count()).isEqualTo(3);
        assertThat(histogram.sum()).isEqualTo(9.5);
    }

    @Test
    void boundsGoUpByOneTwoFiveToTheLimit() {
        Histogram histogram = Histogram.oneTwoFive(130);

        assertThat(histogram.bounds()).isEqualTo(7);
        assertThat(histogram.bound(3)).isEqualTo(10);
        assertThat(histogram.bound(6)).isEqualTo(100);
    }
}
