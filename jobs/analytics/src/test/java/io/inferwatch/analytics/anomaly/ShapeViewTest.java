package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.anomaly.AnomalyRule.Block;
import io.inferwatch.analytics.anomaly.AnomalyRule.Shape;
import io.inferwatch.analytics.anomaly.AnomalyRule.View;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One view, against the same definition by hand: all pairs of vectors, real numbers, sorted lists. */
class ShapeViewTest {
    private static final Shape RULE = AnomalyRule.STANDARD.shape();
    private static final int WIDTH = 4;
    private static final int LEARN = 52;

    private final double[] values = random(400, 11);

    /** Blocks of one value. A step is a thousandth of the range, a bucket of the sketch 0.7 %. */
    @Test
    void theDiscordIsThatOfAllPairsSeed11() {
        ShapeView view = new ShapeView(new View(WIDTH, 13, Block.MEAN, 1), RULE, LEARN);
        assertThat(view.blockLength()).isEqualTo(1);
        double[] expected = envelopes(values);
        for (int row = 0; row < values.length; row++) {
            if (row == LEARN) {
                view.learn();
            }
            view.add(values[row]);
            if (row >= LEARN) {
                assertThat(view.envelope()).as("row " + row).isCloseTo(expected[row], within(0.03 * expected[row]));
            }
        }
        assertThat(expected[300]).isGreaterThan(1.5);
    }

    private static double[] envelopes(double[] values) {
        double[] rising =
                IntStream.range(0, LEARN).mapToDouble(i -> values[i]).sorted().toArray();
        double scale = at(rising, 0.99) - at(rising, 0.01);
        List<Double> past = new ArrayList<>();
        double[] envelopes = new double[values.length];
        double envelope = 0;
        for (int end = 0; end < values.length; end++) {
            envelope *= Math.exp(-1);
            double least = Double.POSITIVE_INFINITY;
            for (int other = WIDTH - 1; other <= end - WIDTH; other++) {
                double sum = 0;
                for (int back = 0; back < WIDTH; back++) {
                    sum += Math.abs(values[end - back] - values[other - back]) / scale / WIDTH;
                }
                least = Math.min(least, sum);
            }
            if (least < Double.POSITIVE_INFINITY) {
                double usual = past.isEmpty()
                        ? least
                        : Math.max(
                                0.03,
                                Math.exp(0.85 * Math.log(ranked(past, 0.8)) + 0.15 * Math.log(ranked(past, 0.99))));
                envelope = past.isEmpty() ? envelope : Math.max(envelope, least / usual);
                past.add(Math.min(least, 2 * usual));
            }
            envelopes[end] = envelope;
        }
        return envelopes;
    }

    private static double at(double[] rising, double q) {
        double at = q * (rising.length - 1);
        double above = rising[(int) Math.ceil(at)];
        return rising[(int) at] + (at - (int) at) * (above - rising[(int) at]);
    }

    private static double ranked(List<Double> values, double q) {
        List<Double> rising = new ArrayList<>(values);
        Collections.sort(rising);
        return rising.get((int) Math.ceil(q * rising.size()) - 1);
    }

    @Test
    void anExtremeIsThatWhichIsFartherFromWhereTheSeriesWas() {
        ShapeView view = new ShapeView(new View(1, 4, Block.EXTREME, 1), RULE, 16);
        assertThat(view.blockLength()).isEqualTo(4);
        double[] blocks = {1, 1, 1, 1, 0, 1, 5, 2, 3, 3, -2, 3, 2, 2, 2, 1.5};
        boolean[] complete = new boolean[blocks.length];
        for (int i = 0; i < blocks.length; i++) {
            complete[i] = view.add(blocks[i]);
        }
        assertThat(complete)
                .containsExactly(
                        false, false, false, true, false, false, false, true, false, false, false, true, false, false,
                        false, true);
        // Centres before each block: 1, 1, 1.5, 1.625; extremes 1, 5, -2, 2.
        StateWriter out = new StateWriter();
        view.write(out);
        StateReader in = new StateReader(out.toBytes());
        in.number();
        in.real();
        in.real();
        in.real();
        in.real();
        assertThat(in.number()).isEqualTo(4);
        assertThat(new double[] {in.real(), in.real(), in.real(), in.real()}).containsExactly(1, 5, -2, 2);
    }

    @Test
    void theOldestQuarterIsForgotten() {
        Shape few = new Shape(RULE.views(), 0.8, 0.99, 0.15, 0.03, 2, 1.2, 9, 2, 0.4, 0.6, 100);
        ShapeView view = new ShapeView(new View(WIDTH, 13, Block.MEAN, 1), few, LEARN);
        int most = 0;
        for (int row = 0; row < values.length; row++) {
            if (row == LEARN) {
                view.learn();
            }
            view.add(values[row]);
            StateWriter out = new StateWriter();
            view.write(out);
            most = Math.max(most, out.toBytes().length);
        }
        // Two bytes each of a hundred blocks, and a sketch of 400 distances that takes less than the 600 bytes that the
        // others would.
        assertThat(most).isLessThan(200 + 700);
    }

    /** A vector with a gap in it is not judged; the third block after it has one, the fourth not. */
    @Test
    void vectorsOverAGapAreNotJudgedSeed11() {
        ShapeView view = new ShapeView(new View(WIDTH, 13, Block.MEAN, 1), RULE, LEARN);
        for (int row = 0; row < 200; row++) {
            if (row == LEARN) {
                view.learn();
            }
            view.add(values[row]);
        }
        view.gap();
        double before = view.envelope();
        for (int i = 1; i < WIDTH; i++) {
            view.add(100);
            assertThat(view.envelope()).isCloseTo(before * Math.exp(-i), within(1e-12));
        }
        view.add(100);
        assertThat(view.envelope()).isGreaterThan(10);
    }

    private static double[] random(int n, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = Math.sin(i / 3.0) + 0.2 * random.nextGaussian() + (i >= 298 && i < 302 ? 3 : 0);
        }
        return values;
    }
}
