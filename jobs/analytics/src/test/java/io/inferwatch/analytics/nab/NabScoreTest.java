package io.inferwatch.analytics.nab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.nab.LabelledScores.Window;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Against the benchmark's published constants and cases worked by hand. */
class NabScoreTest {
    private static final List<Window> TWO = List.of(new Window(40, 49), new Window(70, 79));

    /** 0.98661429815 is the greatest value that the published scorer lets a detection have before it is scaled to 1. */
    @Test
    void theSigmoidIsThePublishedOne() {
        assertThat(LabelledScores.sigmoid(-1)).isCloseTo(0.98661429815143, within(1e-12));
        assertThat(LabelledScores.sigmoid(0)).isZero();
        assertThat(LabelledScores.sigmoid(3)).isCloseTo(-0.99999938820, within(1e-10));
        assertThat(LabelledScores.sigmoid(3.1)).isEqualTo(-1);
    }

    @Test
    void probationIsFifteenPercentAndAtMost750Rows() {
        assertThat(LabelledScores.probation(4032)).isEqualTo(604);
        assertThat(LabelledScores.probation(1_624)).isEqualTo(243);
        assertThat(LabelledScores.probation(5_001)).isEqualTo(750);
        assertThat(LabelledScores.probation(22_695)).isEqualTo(750);
    }

    /** S(y) / S(-1) in a window, S(y) * 0.11 behind one, by a calculator. */
    @Test
    void aRowIsWorthWhatItsPlaceIsWorth() {
        LabelledScores series = series(new double[100]);

        assertThat(series.worth(14, Profile.STANDARD)).isZero();
        assertThat(series.worth(15, Profile.STANDARD)).isEqualTo(-0.11);
        assertThat(series.worth(39, Profile.STANDARD)).isEqualTo(-0.11);
        assertThat(series.worth(40, Profile.STANDARD)).isCloseTo(1, within(1e-12));
        assertThat(series.worth(45, Profile.STANDARD)).isCloseTo(0.85979256691, within(1e-10));
        assertThat(series.worth(49, Profile.STANDARD)).isCloseTo(0.24824154978, within(1e-10));
        assertThat(series.worth(50, Profile.STANDARD)).isCloseTo(-0.02979318304, within(1e-10));
        assertThat(series.worth(51, Profile.STANDARD)).isCloseTo(-0.05551396375, within(1e-10));
        assertThat(series.worth(51, Profile.LOW_FALSE_ALARMS)).isCloseTo(-0.11102792750, within(1e-10));
        assertThat(series.worth(99, Profile.STANDARD)).isCloseTo(-0.11, within(1e-5));
    }

    /** -2 silent; -2.11 at 0.9; -0.11 - 1 + 0.9174289 at 0.8; less 0.0555140 at 0.7; and 2 more at 0.6: (1.7519150 + 2) / 4. */
    @Test
    void theBestThresholdIsFound() {
        double[] scores = new double[100];
        scores[20] = 0.9;
        scores[44] = 0.8;
        scores[51] = 0.7;
        scores[70] = 0.6;

        NabScore best = NabScore.best(List.of(series(scores)), Profile.STANDARD);

        assertThat(best.threshold()).isEqualTo(0.6);
        assertThat(best.normalised()).isCloseTo(93.79787, within(1e-4));
        assertThat(NabScore.at(0.8, List.of(series(scores)), Profile.STANDARD).normalised())
                .isCloseTo(100 * (2 - 0.1925711) / 4, within(1e-4));
        assertThat(EventCounts.at(0.6, List.of(series(scores)))).isEqualTo(new EventCounts(2, 2, 4, 2));
    }

    @Test
    void silenceIsZeroAndTheBeginningsOfAllWindowsAreAHundred() {
        double[] perfect = new double[100];
        perfect[40] = 1;
        perfect[70] = 1;
        for (Profile profile : Profile.ALL) {
            assertThat(NabScore.at(1.1, List.of(series(new double[100])), profile)
                            .normalised())
                    .isZero();
            assertThat(NabScore.best(List.of(series(perfect)), profile).normalised())
                    .isCloseTo(100, within(1e-9));
        }
    }

    /** Where every alarm is false, the best is to be silent. */
    @Test
    void harmIsNotPreferredToSilence() {
        double[] scores = new double[100];
        scores[20] = 0.9;
        assertThat(NabScore.best(List.of(series(scores)), Profile.STANDARD)).isEqualTo(new NabScore(1.1, 0));
    }

    /** In a window only the row that is worth most counts, and rows during probation count for nothing. */
    @Test
    void moreRowsInAWindowAreWorthNoMore() {
        double[] once = new double[100];
        once[41] = 1;
        double[] often = new double[100];
        often[3] = 1;
        for (int row = 41; row < 50; row++) {
            often[row] = 1;
        }
        assertThat(NabScore.best(List.of(series(often)), Profile.STANDARD))
                .isEqualTo(NabScore.best(List.of(series(once)), Profile.STANDARD));
    }

    /** The sweep adds row by row; a threshold that is tried by itself must come to the same, for every threshold. */
    @Test
    void theSweepIsTheBestOfAllThresholdsSeed5() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 50; round++) {
            double[] scores =
                    random.ints(100, 0, 20).mapToDouble(one -> one / 20.0).toArray();
            List<LabelledScores> all = List.of(series(scores));
            double most = 0;
            for (int step = 0; step < 20; step++) {
                most = Math.max(
                        most, NabScore.at(step / 20.0, all, Profile.LOW_MISSES).normalised());
            }
            assertThat(NabScore.best(all, Profile.LOW_MISSES).normalised()).isCloseTo(most, within(1e-9));
        }
    }

    private static LabelledScores series(double[] scores) {
        return new LabelledScores("made/up.csv", scores, TWO);
    }
}
