package io.inferwatch.analytics.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Moments;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Expected values were computed by NumPy and SciPy 1.17 from the definitions: gradients numerically, lines by matrices. */
class ShapesTest {
    private static final Offset<Double> EXACT = within(1e-9);

    @Test
    void aShareOfMeans() {
        Estimate share = ShareOfMeans.of(
                        List.of(new Moments(200, 80, 400), new Moments(100, 20, 100)),
                        List.of(new Moments(400, 50, 900)))
                .orElseThrow();
        assertThat(share.value()).isCloseTo(2.0 / 3, EXACT);
        assertThat(share.low()).isCloseTo(0.6515788568743628, EXACT);
        assertThat(share.high()).isCloseTo(0.6817544764589705, EXACT);
    }

    @Test
    void aShareNeedsValuesAndAWhole() {
        Moments thin = new Moments(29, 10, 4);
        Moments enough = new Moments(30, 10, 4);
        assertThat(ShareOfMeans.of(List.of(thin), List.of(enough))).isEmpty();
        assertThat(ShareOfMeans.of(List.of(enough), List.of(thin))).isEmpty();
        assertThat(ShareOfMeans.of(List.of(), List.of(enough))).isEmpty();
        assertThat(ShareOfMeans.of(List.of(new Moments(30, 0, 0)), List.of())).isEmpty();
        assertThat(ShareOfMeans.of(List.of(enough), List.of()).orElseThrow().value())
                .isEqualTo(1);
    }

    @Test
    void anExponentWhoseErrorGrowsWithTheMisfit() {
        Estimate exponent = PowerLaw.exponent(points(1)).orElseThrow();
        assertThat(exponent.value()).isCloseTo(1.293520528543052, EXACT);
        assertThat(exponent.low()).isCloseTo(1.2208646931330658, EXACT);
        assertThat(exponent.high()).isCloseTo(1.3661763639530382, EXACT);
    }

    @Test
    void anExponentOfMeansThatLieWithinTheirErrors() {
        Estimate exponent = PowerLaw.exponent(points(100)).orElseThrow();
        assertThat(exponent.value()).isCloseTo(1.293520528543052, EXACT);
        assertThat(exponent.low()).isCloseTo(0.9384859443271236, EXACT);
        assertThat(exponent.high()).isCloseTo(1.6485551127589804, EXACT);
    }

    @Test
    void anExponentNeedsThreeDifferentLengths() {
        assertThat(PowerLaw.exponent(points(1).subList(0, 2))).isEmpty();
        PowerLaw.Point same = new PowerLaw.Point(10, 1, 1e-4);
        assertThat(PowerLaw.exponent(List.of(same, same, same))).isEmpty();
    }

    @Test
    void aRatioOverBucketsOfLength() {
        RatioOfMeans.Pair first =
                new RatioOfMeans.Pair(bucket(new Moments(100, 160, 400), 320), bucket(new Moments(80, 100, 225), 318));
        RatioOfMeans.Pair second =
                new RatioOfMeans.Pair(bucket(new Moments(50, 330, 900), 640), bucket(new Moments(60, 205, 500), 650));
        RatioOfMeans.Pair thin =
                new RatioOfMeans.Pair(bucket(new Moments(29, 999, 1), 640), bucket(new Moments(60, 205, 500), 650));
        Estimate ratio = RatioOfMeans.of(List.of(first, second, thin)).orElseThrow();
        assertThat(ratio.value()).isCloseTo(1.6143710388618826, EXACT);
        assertThat(ratio.low()).isCloseTo(1.570394573282662, EXACT);
        assertThat(ratio.high()).isCloseTo(1.659578997186775, EXACT);
        assertThat(RatioOfMeans.of(List.of(thin))).isEmpty();
    }

    @Test
    void aCorrelationOfCells() {
        Correlation.Cell low = new Correlation.Cell(new Moments(40, 0.2, 0.01), new Moments(40, 0.8, 0.02));
        Correlation.Cell high = new Correlation.Cell(new Moments(60, 0.7, 0.005), new Moments(60, 0.3, 0.01));
        Estimate correlation = Correlation.of(List.of(low, high)).orElseThrow();
        assertThat(correlation.value()).isCloseTo(-0.8548045017199951, EXACT);
        assertThat(correlation.low()).isCloseTo(-0.9000971293755725, EXACT);
        assertThat(correlation.high()).isCloseTo(-0.7912338240304136, EXACT);
    }

    @Test
    void whatDoesNotVaryCorrelatesWithNothing() {
        Moments fast = new Moments(100, 0.5, 0);
        assertThat(Correlation.of(List.of(new Correlation.Cell(fast, new Moments(100, 0.5, 0.01)))))
                .isEmpty();
        assertThat(Correlation.of(List.of())).isEmpty();
        List<Correlation.Cell> line = List.of(
                new Correlation.Cell(fast, fast),
                new Correlation.Cell(new Moments(100, 0.9, 0), new Moments(100, 0.9, 0)));
        assertThat(Correlation.of(line)).hasValue(new Estimate(1, 1, 1));
    }

    private static RatioOfMeans.Bucket bucket(Moments counted, double length) {
        return new RatioOfMeans.Bucket(counted, new Moments(counted.n(), length, 100));
    }

    private static List<PowerLaw.Point> points(double errors) {
        double[] x = {75, 110, 150, 215, 300, 430};
        double[] y = {0.9, 1.5, 2.2, 3.4, 5.6, 8.8};
        double[] squaredErrors = {4e-4, 2e-4, 1e-4, 1e-4, 3e-4, 5e-4};
        List<PowerLaw.Point> points = new ArrayList<>();
        for (int i = 0; i < x.length; i++) {
            points.add(new PowerLaw.Point(x[i], y[i], errors * squaredErrors[i]));
        }
        return points;
    }
}
