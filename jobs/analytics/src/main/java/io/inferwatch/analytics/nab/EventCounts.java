package io.inferwatch.analytics.nab;

import io.inferwatch.analytics.nab.LabelledScores.Window;
import java.util.List;

/**
 * What somebody who is called counts: windows that were found and alarms that were not in one. Alarms of neighbouring rows are one.
 *
 * @param windows whose rows are not all within probation
 * @param found of them with an alarm
 * @param alarms runs of rows in alarm
 * @param falseAlarms of them that touch no window
 */
public record EventCounts(int windows, int found, int alarms, int falseAlarms) {
    /** At a threshold. */
    public static EventCounts at(double threshold, List<LabelledScores> all) {
        int windows = 0;
        int found = 0;
        int alarms = 0;
        int falseAlarms = 0;
        for (LabelledScores series : all) {
            double[] scores = series.scores();
            int probation = LabelledScores.probation(scores.length);
            for (Window window : series.windows()) {
                windows += window.last() >= probation ? 1 : 0;
                found += isAlarm(scores, Math.max(probation, window.first()), window.last(), threshold) ? 1 : 0;
            }
            for (int row = probation; row < scores.length; row++) {
                if (scores[row] >= threshold) {
                    boolean isTrue = false;
                    for (; row < scores.length && scores[row] >= threshold; row++) {
                        isTrue |= series.windowOf(row) >= 0;
                    }
                    alarms++;
                    falseAlarms += isTrue ? 0 : 1;
                }
            }
        }
        return new EventCounts(windows, found, alarms, falseAlarms);
    }

    private static boolean isAlarm(double[] scores, int first, int last, double threshold) {
        for (int row = first; row <= last; row++) {
            if (scores[row] >= threshold) {
                return true;
            }
        }
        return false;
    }

    /** Share of alarms that were right; not a number without one. */
    public double precision() {
        return (alarms - falseAlarms) / (double) alarms;
    }

    /** Share of windows that were found. */
    public double recall() {
        return found / (double) windows;
    }
}
