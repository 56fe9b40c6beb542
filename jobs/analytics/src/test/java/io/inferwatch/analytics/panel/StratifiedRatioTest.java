package io.inferwatch.analytics.panel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.panel.StratifiedRatio.Cell;
import io.inferwatch.analytics.shape.Estimate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StratifiedRatioTest {
    /** Computed by NumPy 2.4 and SciPy 1.17 from the definition, leaving every cluster out in turn. */
    @Test
    void fiveClustersInThreeStrata() {
        List<List<Cell>> clusters = new ArrayList<>();
        for (int c = 0; c < 5; c++) {
            List<Cell> cells = new ArrayList<>();
            for (int s = 0; s < 3; s++) {
                for (int exposed = 0; exposed < 2; exposed++) {
                    int trials = 20 + 7 * c + 5 * s + 11 * exposed + c * s % 4;
                    int events = 1 + (2 * c + 3 * s + 4 * exposed * (s + 1)) % 9;
                    cells.add(new Cell("stratum " + s, exposed == 1, events, trials));
                }
            }
            clusters.add(cells);
        }
        Contrast log = StratifiedRatio.log(clusters).orElseThrow();
        assertThat(log.clusters()).isEqualTo(5);
        assertThat(log.value()).isCloseTo(-0.20803196582482028, within(1e-12));
        assertThat(log.standardError()).isCloseTo(0.1534879515483356, within(1e-12));
        Estimate ratio = log.ratio();
        assertThat(ratio.value()).isCloseTo(0.8121810742590435, within(1e-9));
        assertThat(ratio.low()).isCloseTo(0.530368708650365, within(1e-9));
        assertThat(ratio.high()).isCloseTo(1.2437349463228367, within(1e-9));
    }

    /** Little memory fails ten times as often and is exposed ten times as often: pooled 5.5 times, within strata once. */
    @Test
    void whatStrataExplainIsNoEffect() {
        List<List<Cell>> clusters = new ArrayList<>();
        for (int cluster = 0; cluster < 4; cluster++) {
            clusters.add(List.of(
                    new Cell("little", true, 100, 1_000),
                    new Cell("little", false, 10, 100),
                    new Cell("much", true, 1, 100),
                    new Cell("much", false, 10, 1_000),
                    new Cell("only exposed", true, 999, 1_000)));
        }
        assertThat(StratifiedRatio.log(clusters).orElseThrow().value()).isCloseTo(0, within(1e-12));
    }

    @Test
    void oneSideAloneHasNoRatio() {
        List<Cell> exposed = List.of(new Cell("a", true, 5, 10));
        List<Cell> both = List.of(new Cell("a", true, 5, 10), new Cell("a", false, 2, 10));
        assertThat(StratifiedRatio.log(List.of(exposed, exposed))).isEmpty();
        assertThat(StratifiedRatio.log(List.of(exposed, both)))
                .as("hangs on one cluster")
                .isEmpty();
        assertThat(StratifiedRatio.log(List.of(both))).isEmpty();
        assertThat(StratifiedRatio.log(List.of())).isEmpty();
        assertThat(StratifiedRatio.log(List.of(both, both))).isPresent();
        assertThatThrownBy(() -> new Cell("a", true, 3, 2))
                .hasMessage("events: must be from 0 to the 2 trials, found 3");
    }
}
