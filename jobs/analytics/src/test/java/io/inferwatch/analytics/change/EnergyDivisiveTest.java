package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.RecordedData;
import io.inferwatch.analytics.change.ChangeRule.Energy;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnergyDivisiveTest {
    @Test
    void dividesWhereTheLevelChanges() {
        double[] values = {1, 2, 1, 2, 1, 2, 1, 2, 9, 8, 9, 8, 9, 8, 9, 8};
        assertThat(EnergyDivisive.of(values, Energy.PUBLISHED)).containsExactly(8);
        assertThat(EnergyDivisive.of(new double[] {3, 3, 3, 3, 3, 3, 3, 3}, Energy.PUBLISHED))
                .isEmpty();
    }

    @Test
    void whatIsSmallIsMergedAgain() {
        double[] values = {100, 101, 100, 101, 100, 101, 104, 105, 104, 105, 104, 105};
        assertThat(EnergyDivisive.of(values, new Energy(50, 0.001, 10, 0))).containsExactly(6);
        assertThat(EnergyDivisive.of(values, new Energy(50, 0.001, 10, 0.05))).isEmpty();
    }

    /** What the method's own tests expect of TigerBeetle's history of 365 commits (shared by its authors; labels in the directory): p 0.05 and 5 %, changes at 15 and 71. */
    @Test
    void findsWhatItsOwnTestsExpectOfARecordedHistory() {
        List<String> lines = RecordedData.lines("perf_series/tigerbeetle/otava_load_accepted.csv");
        int column = lines.get(0).split(",", -1).length - 1;
        double[] values = lines.stream()
                .skip(1)
                .mapToDouble(line -> Double.parseDouble(line.split(",", -1)[column]))
                .toArray();
        assertThat(values).hasSize(365);
        assertThat(EnergyDivisive.of(values, new Energy(50, 0.05, 2, 0.05)))
                .contains(15, 71)
                .hasSizeLessThan(6);
    }
}
