package io.inferwatch.analytics.nab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The score of a detector over series: 0 for one that never alarms, 100 for one that alarms once, at the beginning of each window.
 *
 * <p>Of the rows in a window only the one that is worth most counts; every other row counts for itself. One threshold serves all series: the one with which the sum is greatest,
 * tried after each distinct score.
 *
 * @param threshold rows with this score or a greater one are alarms; above 1 when it is best to be silent
 * @param normalised from 0 to 100; below 0 where alarms do more harm than silence, with a threshold that was given
 */
public record NabScore(double threshold, double normalised) {
    private static final double SILENT = 1.1;

    private record Row(double score, int series, int row) {}

    /** With the best threshold. */
    public static NabScore best(List<LabelledScores> all, Profile profile) {
        List<Row> rows = new ArrayList<>();
        for (int series = 0; series < all.size(); series++) {
            double[] scores = all.get(series).scores();
            for (int row = LabelledScores.probation(scores.length); row < scores.length; row++) {
                rows.add(new Row(scores[row], series, row));
            }
        }
        rows.sort(Comparator.comparingDouble(Row::score).reversed());
        Tally tally = new Tally(all, profile);
        double most = tally.total();
        double threshold = SILENT;
        for (int i = 0; i < rows.size(); i++) {
            tally.alarm(rows.get(i));
            boolean isLastOfItsScore = i + 1 == rows.size()
                    || rows.get(i + 1).score() < rows.get(i).score();
            if (isLastOfItsScore && tally.total() > most) {
                most = tally.total();
                threshold = rows.get(i).score();
            }
        }
        return new NabScore(threshold, normalised(most, all, profile));
    }

    /** With a threshold that was found on more series than these. */
    public static NabScore at(double threshold, List<LabelledScores> all, Profile profile) {
        Tally tally = new Tally(all, profile);
        for (int series = 0; series < all.size(); series++) {
            double[] scores = all.get(series).scores();
            for (int row = LabelledScores.probation(scores.length); row < scores.length; row++) {
                if (scores[row] >= threshold) {
                    tally.alarm(new Row(scores[row], series, row));
                }
            }
        }
        return new NabScore(threshold, normalised(tally.total(), all, profile));
    }

    /** Not a number where there is no window. */
    private static double normalised(double total, List<LabelledScores> all, Profile profile) {
        int windows = all.stream().mapToInt(one -> one.windows().size()).sum();
        double silent = -profile.miss() * windows;
        double perfect = profile.hit() * windows;
        return 100 * (total - silent) / (perfect - silent);
    }

    /** The sum while alarms are added. */
    private static final class Tally {
        private final List<LabelledScores> all;
        private final Profile profile;
        private final double[][] ofWindows;
        private double total;

        Tally(List<LabelledScores> all, Profile profile) {
            this.all = all;
            this.profile = profile;
            this.ofWindows = new double[all.size()][];
            for (int i = 0; i < ofWindows.length; i++) {
                ofWindows[i] = new double[all.get(i).windows().size()];
                Arrays.fill(ofWindows[i], -profile.miss());
                total -= profile.miss() * ofWindows[i].length;
            }
        }

        double total() {
            return total;
        }

        void alarm(Row row) {
            LabelledScores series = all.get(row.series());
            double worth = series.worth(row.row(), profile);
            int window = series.windowOf(row.row());
            if (window < 0) {
                total += worth;
            } else if (worth > ofWindows[row.series()][window]) {
                total += worth - ofWindows[row.series()][window];
                ofWindows[row.series()][window] = worth;
            }
        }
    }
}
