package io.inferwatch.analytics.nab;

import java.util.List;

/**
 * What a detector said of a series, and where its anomalies are.
 *
 * @param file the series, {@code category/name.csv}
 * @param scores of each row, from 0 to 1
 * @param windows that hold an anomaly, in order and apart
 */
public record LabelledScores(String file, double[] scores, List<Window> windows) {
    private static final double PROBATION_SHARE = 0.15;
    private static final int MOST_PROBATION = 750;

    /** Saturation of the sigmoid beyond three widths. */
    private static final double FAR = 3;

    /** Rows, both included. */
    public record Window(int first, int last) {
        int width() {
            return last - first + 1;
        }
    }

    /** Copies windows. */
    public LabelledScores {
        windows = List.copyOf(windows);
    }

    /** The directory, which groups series by where they come from. */
    public String category() {
        return file.substring(0, file.indexOf('/'));
    }

    /** Rows at the beginning of a series that are for learning and are not scored. */
    public static int probation(int rows) {
        return (int) Math.min(Math.floor(PROBATION_SHARE * rows), MOST_PROBATION);
    }

    /** The window that holds the row, or -1. */
    int windowOf(int row) {
        for (int i = 0; i < windows.size(); i++) {
            if (row >= windows.get(i).first() && row <= windows.get(i).last()) {
                return i;
            }
        }
        return -1;
    }

    /** What an alarm at the row would be worth by itself; 0 within probation. */
    public double worth(int row, Profile profile) {
        if (row < probation(scores.length)) {
            return 0;
        }
        int within = windowOf(row);
        if (within >= 0) {
            Window window = windows.get(within);
            double position = -(window.last() - row + 1) / (double) window.width();
            return sigmoid(position) / sigmoid(-1) * profile.hit();
        }
        Window before = null;
        for (Window window : windows) {
            before = window.last() < row ? window : before;
        }
        if (before == null) {
            return -profile.falseAlarm();
        }
        double position = (row - before.last()) / (double) (before.width() - 1);
        return sigmoid(position) * profile.falseAlarm();
    }

    /** 1 far before, 0 at the end of a window, -1 far behind. */
    static double sigmoid(double position) {
        return position > FAR ? -1 : 2 / (1 + Math.exp(5 * position)) - 1;
    }
}
