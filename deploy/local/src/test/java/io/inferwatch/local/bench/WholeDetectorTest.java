package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.local.bench.NabCorpus.Series;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Days of a wave with 2 % of noise, seed 9, in rows of five minutes; on the fourth it is half as high again for half an hour. */
class WholeDetectorTest {
    private static final int DAY = 288;
    private static final int FIRST = 3 * DAY + 100;
    private static final int LAST = FIRST + 5;

    @Test
    void anAnomalyIsScoredWhereItIsToldAndWhereItBegins() {
        SplittableRandom random = new SplittableRandom(9);
        List<String> times = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int row = 0; row < 4 * DAY; row++) {
            times.add(LocalDateTime.of(2014, 2, 10, 0, 0)
                    .plusMinutes(5L * row)
                    .format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)));
            double wave = 10 + 3 * Math.sin(2 * Math.PI * row / DAY) + 0.2 * random.nextGaussian();
            values.add(Double.toString(row >= FIRST && row <= LAST ? 1.5 * wave : wave));
        }
        // A clock that was set back: such a row is left out.
        times.set(FIRST - 10, times.get(FIRST - 20));
        WholeDetector detector = new WholeDetector(new Series("a/b.csv", times, values, List.of()));

        double[] scores = IntStream.range(0, 4 * DAY).mapToDouble(detector).toArray();
        assertThat(scores[FIRST - 10]).isZero();
        int[] told = IntStream.range(0, scores.length)
                .filter(row -> scores[row] > 2.0 / 3)
                .toArray();
        assertThat(told).hasSize(1);
        assertThat(told[0]).isBetween(FIRST + 1, FIRST + 2);
        assertThat(IntStream.range(0, scores.length)
                        .filter(row -> scores[row] > 1.0 / 3 && (row < FIRST || row > LAST))
                        .count())
                .as("other beginnings of anything anomalous")
                .isLessThanOrEqualTo(1);
    }
}
