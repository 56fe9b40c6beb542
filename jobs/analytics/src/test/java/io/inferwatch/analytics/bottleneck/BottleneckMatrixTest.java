package io.inferwatch.analytics.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BottleneckMatrixTest {
    private static final BottleneckRule RULE = BottleneckRule.STANDARD;
    private static final long SECOND = 1_000_000;

    /** The published bounds: above 85 % and below 60 %, below 40 % and above 80 %. At a bound itself nothing is beyond it. */
    @ParameterizedTest
    @CsvSource({
        "86, 59, BANDWIDTH",
        "85, 59, BALANCED",
        "86, 60, BALANCED",
        "39, 81, COMPUTE",
        "40, 81, BALANCED",
        "39, 80, BALANCED",
        "39, 59, UNDERUSED",
        "39, 60, BALANCED",
        "40, 59, BALANCED",
        "92, 91, BALANCED",
        "0, 0, UNDERUSED"
    })
    void boundsAreThePublishedOnes(long bandwidth, long tensor, Limit limit) {
        assertThat(Limit.of(device(bandwidth, tensor, 0L), RULE)).isEqualTo(limit);
    }

    /** Every whole per cent of both for a second: 15 by 60, 40 by 20 and 40 by 60 of 101 by 101 are in the corners. */
    @Test
    void everyPairOfPerCentsHasItsShareOfTheTime() {
        BottleneckMatrix matrix = new BottleneckMatrix();
        for (int bandwidth = 0; bandwidth <= 100; bandwidth++) {
            for (int tensor = 0; tensor <= 100; tensor++) {
                matrix.add(device(bandwidth, tensor, 0L), RULE);
            }
        }
        assertThat(matrix.micros(Limit.BANDWIDTH)).isEqualTo(900 * SECOND);
        assertThat(matrix.micros(Limit.COMPUTE)).isEqualTo(800 * SECOND);
        assertThat(matrix.micros(Limit.UNDERUSED)).isEqualTo(2_400 * SECOND);
        assertThat(matrix.micros(Limit.BALANCED)).isEqualTo(6_101 * SECOND);
        assertThat(matrix.micros(Limit.UNKNOWN)).isZero();
        assertThat(matrix.micros()).isEqualTo(10_201 * SECOND);
        assertThat(matrix.share(Limit.BANDWIDTH).orElseThrow()).isCloseTo(900 / 10_201.0, within(1e-12));
        assertThat(matrix.micros(Links.UNKNOWN)).isEqualTo(10_201 * SECOND);
    }

    @Test
    void readingsOfDifferentTimesAreNotCompared() {
        assertThat(Limit.of(device(90, 20, 100_000L), RULE)).isEqualTo(Limit.BANDWIDTH);
        assertThat(Limit.of(device(90, 20, 100_001L), RULE)).isEqualTo(Limit.UNKNOWN);
        assertThat(Limit.of(device(90, 20, null), RULE)).isEqualTo(Limit.UNKNOWN);
        assertThat(Limit.of(new Activity(SECOND, null, 200_000L, 0L, null, null), RULE))
                .isEqualTo(Limit.UNKNOWN);
        assertThat(Limit.of(new Activity(SECOND, 900_000L, null, 0L, null, null), RULE))
                .isEqualTo(Limit.UNKNOWN);
    }

    @Test
    void linksAreWatchedTogetherWithTheDevice() {
        BottleneckMatrix matrix = new BottleneckMatrix();
        matrix.add(new Activity(4 * SECOND, 900_000L, 100_000L, 0L, 860_000L, null), RULE);
        matrix.add(new Activity(3 * SECOND, 900_000L, 100_000L, 0L, 850_000L, 10_000L), RULE);
        matrix.add(new Activity(2 * SECOND, 100_000L, 100_000L, 0L, 100_000L, 990_000L), RULE);
        matrix.add(new Activity(SECOND, null, null, null, 900_000L, 900_000L), RULE);
        assertThat(matrix.micros(Limit.BANDWIDTH, Links.PCIE)).isEqualTo(4 * SECOND);
        assertThat(matrix.micros(Limit.BANDWIDTH, Links.FREE)).isEqualTo(3 * SECOND);
        assertThat(matrix.micros(Limit.UNDERUSED, Links.NVLINK)).isEqualTo(2 * SECOND);
        assertThat(matrix.micros(Limit.UNKNOWN, Links.PCIE_AND_NVLINK)).isEqualTo(SECOND);
        assertThat(matrix.share(Limit.BANDWIDTH, Links.PCIE)).hasValue(0.4);
        assertThat(matrix.share(Links.PCIE)).hasValue(0.4);
        assertThat(matrix.share(Limit.UNKNOWN)).hasValue(0.1);
    }

    @Test
    void mergedIsTheSameAsAdded() {
        BottleneckMatrix one = new BottleneckMatrix();
        BottleneckMatrix two = new BottleneckMatrix();
        BottleneckMatrix both = new BottleneckMatrix();
        for (int percent = 0; percent <= 100; percent++) {
            Activity activity = new Activity(1 + percent, percent * 10_000L, 500_000L, 0L, percent * 10_000L, null);
            (percent % 3 == 0 ? one : two).add(activity, RULE);
            both.add(activity, RULE);
        }
        one.merge(two);
        for (Limit limit : Limit.values()) {
            for (Links links : Links.values()) {
                assertThat(one.micros(limit, links)).isEqualTo(both.micros(limit, links));
            }
        }
        assertThat(one.micros()).isEqualTo(101 + 5_050);
    }

    @Test
    void withoutTimeThereAreNoShares() {
        BottleneckMatrix matrix = new BottleneckMatrix();
        assertThat(matrix.share(Limit.COMPUTE)).isEmpty();
        assertThat(matrix.share(Links.FREE)).isEmpty();
        assertThat(matrix.share(Limit.COMPUTE, Links.FREE)).isEmpty();
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new Activity(0, null, null, null, null, null))
                .hasMessage("micros: must be above 0, found 0");
        assertThatThrownBy(() -> new Activity(1, -1L, null, null, null, null))
                .hasMessage("bandwidthPpm: must be at least 0, found -1");
        assertThatThrownBy(() -> new BottleneckRule(400_000, 500_000, 800_000, 600_000, 850_000, 0))
                .hasMessage("lowBandwidthPpm: must be from 0 to 400000, found 500000");
        assertThatThrownBy(() -> new BottleneckRule(400_000, 300_000, 800_000, 600_000, 2_000_000, 0))
                .hasMessage("saturatedLinkPpm: must be from 0 to 1000000, found 2000000");
    }

    @Test
    void whatIsReadBackIsTheSame() {
        BottleneckMatrix matrix = new BottleneckMatrix();
        matrix.add(new Activity(SECOND, 900_000L, 200_000L, 0L, 900_000L, 100_000L), RULE);
        matrix.add(new Activity(2 * SECOND, null, 200_000L, 0L, null, 900_000L), RULE);
        BottleneckMatrix read = BottleneckMatrix.ofMicros(matrix.toMicros());
        assertThat(read.micros(Limit.BANDWIDTH, Links.PCIE)).isEqualTo(SECOND);
        assertThat(read.micros(Limit.UNKNOWN, Links.NVLINK)).isEqualTo(2 * SECOND);
        assertThat(read.micros()).isEqualTo(3 * SECOND);
        assertThatThrownBy(() -> BottleneckMatrix.ofMicros(new long[3]))
                .hasMessage("state: must be 25 numbers, found 3");
    }

    private static Activity device(long bandwidthPercent, long tensorPercent, @Nullable Long apartMicros) {
        return new Activity(SECOND, bandwidthPercent * 10_000, tensorPercent * 10_000, apartMicros, null, null);
    }
}
