package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A sine with noise, of which a stretch is twice as high as ever. */
class ForestOpinionTest {
    private static final int LEARN = 300;
    private static final int FAULT = 820;

    @Test
    void anEventIsToldOnceAndBeforeIsSilenceSeed4() {
        List<Integer> told = told();

        assertThat(told).isNotEmpty().allMatch(row -> row >= LEARN);
        assertThat(told).filteredOn(row -> row >= FAULT && row < FAULT + 60).hasSize(1);
        assertThat(told.size()).isLessThanOrEqualTo(4);
        for (int i = 1; i < told.size(); i++) {
            assertThat(told.get(i) - told.get(i - 1)).isGreaterThan(LEARN / 5);
        }
    }

    @Test
    void theSameSeriesGivesTheSameSeed4() {
        assertThat(told()).isEqualTo(told());
    }

    private static List<Integer> told() {
        SplittableRandom random = new SplittableRandom(4);
        ForestOpinion forest = new ForestOpinion(LEARN);
        return IntStream.range(0, 1_000)
                .filter(row -> {
                    double value = Math.sin(row / 5.0)
                            + 0.1 * random.nextGaussian()
                            + (row >= FAULT && row < FAULT + 20 ? 4 : 0);
                    double score = forest.score(value);
                    assertThat(score).isBetween(0.0, 1.0);
                    return score > 0;
                })
                .boxed()
                .toList();
    }
}
