package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** By hand, from the measures' definitions. */
class PartitionScoreTest {
    /** Two people, {0, 50} and {0}: precision 2 of {0, 52} against {0, 50}; recall 1 and 1. Covering: 50 of 52 and 48 of 50, and 52 of 100. */
    @Test
    void aMarkCountsWithinFivePlaces() {
        PartitionScore score = PartitionScore.of(100, List.of(52), List.of(List.of(50), List.of()));
        assertThat(score.f1()).isCloseTo(1, within(1e-12));
        assertThat(score.cover()).isCloseTo((0.5 * 50 / 52 + 0.5 * 48 / 50 + 0.52) / 2, within(1e-12));
    }

    /** {0, 30, 70} against {0, 50} and {0}: one of three is right; one of two marks and one of one is found. */
    @Test
    void whatNobodyMarkedCostsPrecision() {
        PartitionScore score = PartitionScore.of(100, List.of(30, 70), List.of(List.of(50), List.of()));
        double precision = 1.0 / 3;
        double recall = 0.75;
        assertThat(score.f1()).isCloseTo(2 * precision * recall / (precision + recall), within(1e-12));
        assertThat(score.cover()).isCloseTo((0.5 * 30 / 50 + 0.5 * 30 / 50 + 0.4) / 2, within(1e-12));
    }

    /** One place near two marks counts for one of them. */
    @Test
    void aPlaceCountsOnce() {
        assertThat(PartitionScore.of(20, List.of(10), List.of(List.of(8, 12))).f1())
                .isCloseTo(2 * 1.0 * (2.0 / 3) / (1 + 2.0 / 3), within(1e-12));
    }
}
