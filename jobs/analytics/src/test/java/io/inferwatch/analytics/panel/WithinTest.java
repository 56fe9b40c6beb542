package io.inferwatch.analytics.panel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.shape.Estimate;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * Expected values were computed by NumPy 2.4 and SciPy 1.17 in another way: with a dummy for each cluster, Poisson's errors (CR3) by the hat
 * matrices of the whole design, those of least squares by leaving every cluster out in turn.
 */
class WithinTest {
    private static final Offset<Double> EXACT = within(1e-8);

    @Test
    void ratesOfEvents() {
        Fit fit = WithinPoisson.fit(sixClusters()).orElseThrow();
        assertThat(fit.clusters()).isEqualTo(6);
        assertContrast(fit.coefficient(0), -0.09001233596696656, 0.1948285553278086, 0.6634815859190035);
        assertContrast(fit.coefficient(1), -0.06547245171632517, 0.11119209252065625, 0.5815743054880878);
        assertContrast(fit.contrast(1, 1), -0.15548478768329171, 0.2926781447596029, 0.6179903051121325);
        Estimate limits = fit.contrast(1, 1).estimate();
        assertThat(limits.low()).isCloseTo(-0.9078379102900627, EXACT);
        assertThat(limits.high()).isCloseTo(0.5968683349234793, EXACT);
        assertThat(fit.contrast(1, 1).ratio().high()).isCloseTo(Math.exp(0.5968683349234793), EXACT);
        assertThat(fit.jointP(2)).isCloseTo(0.8741876490794063, EXACT);
        assertThat(fit.jointP(1)).isCloseTo(0.6634815859190035, EXACT);
    }

    @Test
    void leastSquares() {
        Fit fit = WithinLeastSquares.fit(sixClusters()).orElseThrow();
        assertContrast(fit.coefficient(0), -0.27341446617547543, 0.37092633966827304, 0.49416733165114884);
        assertThat(fit.coefficient(1).value()).isCloseTo(-0.006856956138069137, EXACT);
        assertThat(fit.coefficient(1).standardError()).isCloseTo(Math.sqrt(0.03359704489531354), EXACT);
        assertThat(fit.jointP(2)).isCloseTo(0.7766450462601242, EXACT);
    }

    @Test
    void differencesOfFitsKnowThatTheyStandOnTheSameData() {
        Fit fit = WithinPoisson.fit(sixClusters()).orElseThrow();
        Contrast same = fit.coefficient(0).minus(fit.coefficient(0));
        assertThat(same.value()).isZero();
        assertThat(same.standardError()).isZero();
        assertThat(same.p()).isEqualTo(1);
        Contrast half = fit.contrast(1, 1).minus(fit.coefficient(1)).times(0.5);
        assertContrast(half, -0.09001233596696656 / 2, 0.1948285553278086 / 2, 0.6634815859190035);
    }

    /** What lasts as long as a cluster, and rows without exposure, change nothing. */
    @Test
    void eachClusterIsComparedWithItself() {
        List<List<Row>> shifted = new ArrayList<>();
        int cluster = 0;
        for (List<Row> rows : sixClusters()) {
            double shift = 100.0 * cluster++;
            List<Row> moved = new ArrayList<>(rows.stream()
                    .map(row -> new Row(row.outcome(), row.exposure(), new double[] {
                        row.regressors()[0] + shift, row.regressors()[1] - shift
                    }))
                    .toList());
            moved.add(new Row(0, 0, new double[] {77, -77}));
            shifted.add(moved);
        }
        Fit fit = WithinPoisson.fit(shifted).orElseThrow();
        assertThat(fit.coefficient(0).value()).isCloseTo(-0.09001233596696656, within(1e-6));
        assertThat(fit.coefficient(0).standardError()).isCloseTo(0.1948285553278086, within(1e-6));
    }

    @Test
    void clustersWithoutEventsTellNothing() {
        List<List<Row>> clusters = sixClusters();
        clusters.add(List.of(new Row(0, 5, new double[] {1, 2}), new Row(0, 5, new double[] {9, 4})));
        clusters.add(List.of());
        Fit fit = WithinPoisson.fit(clusters).orElseThrow();
        assertThat(fit.clusters()).isEqualTo(6);
        assertContrast(fit.coefficient(0), -0.09001233596696656, 0.1948285553278086, 0.6634815859190035);
    }

    @Test
    void infiniteCoefficientsAreNone() {
        List<List<Row>> clusters = new ArrayList<>();
        for (int cluster = 0; cluster < 12; cluster++) {
            clusters.add(List.of(
                    new Row(0, 10, new double[] {0}), new Row(3, 10, new double[] {1}), new Row(0, 10, new double[] {0
                    })));
        }
        assertThat(WithinPoisson.fit(clusters)).as("events at 1 alone").isEmpty();
    }

    @Test
    void combinationsOfRegressorsAndSingleClustersAreNone() {
        List<List<Row>> combined = sixClusters().stream()
                .map(rows -> rows.stream()
                        .map(row -> new Row(row.outcome(), row.exposure(), new double[] {
                            row.regressors()[0], 2 * row.regressors()[0] + 5
                        }))
                        .toList())
                .toList();
        assertThat(WithinPoisson.fit(combined)).isEmpty();
        assertThat(WithinLeastSquares.fit(combined)).isEmpty();
        List<List<Row>> single = sixClusters().subList(0, 1);
        assertThat(WithinPoisson.fit(single)).isEmpty();
        assertThat(WithinLeastSquares.fit(single)).isEmpty();
        assertThat(WithinPoisson.fit(List.of())).isEmpty();
        assertThat(WithinLeastSquares.fit(List.of())).isEmpty();
    }

    @Test
    void rowsOfDifferentLengthAreRefused() {
        Row one = new Row(1, 1, new double[] {1});
        Row two = new Row(1, 1, new double[] {1, 2});
        assertThatThrownBy(() -> WithinPoisson.fit(List.of(List.of(one), List.of(two))))
                .hasMessage("regressors: must be as many in every row, found [1, 2]");
        assertThatThrownBy(() -> new Row(1, 1, new double[] {Double.NaN}))
                .hasMessage("regressors: must be finite, found NaN");
        assertThatThrownBy(() -> new Row(1, -1, new double[] {1}))
                .hasMessage("exposure: must be at least 0 and finite, found -1.0");
        assertThatThrownBy(() -> new Row(Double.POSITIVE_INFINITY, 1, new double[] {1}))
                .hasMessage("outcome: must be finite, found Infinity");
        Fit fit = WithinPoisson.fit(sixClusters()).orElseThrow();
        assertThatThrownBy(() -> fit.jointP(3)).hasMessage("first: must be from 1 to the 2 coefficients, found 3");
    }

    private static void assertContrast(Contrast contrast, double value, double error, double p) {
        assertThat(contrast.value()).isCloseTo(value, EXACT);
        assertThat(contrast.standardError()).isCloseTo(error, EXACT);
        assertThat(contrast.p()).isCloseTo(p, EXACT);
    }

    private static List<List<Row>> sixClusters() {
        List<List<Row>> clusters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            List<Row> rows = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int events = (i * 7 + t * t * 3 + i * t) % 5;
                double exposure = 3 + i * t % 4;
                rows.add(new Row(events, exposure, new double[] {Math.sin(3 * i + t), Math.cos(5 * i + 2 * t)}));
            }
            clusters.add(rows);
        }
        return clusters;
    }
}
