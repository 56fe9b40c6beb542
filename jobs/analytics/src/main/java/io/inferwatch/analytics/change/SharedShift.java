package io.inferwatch.analytics.change;

import java.util.ArrayList;
import java.util.List;

/**
 * Changes that the place made, not the software: programs that have nothing to do with each other change alike, at the same time, on the same host or under the same driver. Several figures of
 * one program that change together say nothing of that kind.
 */
public final class SharedShift {
    /** How much greater the one change may be than the other, on the logarithm: programs feel a slower clock or disk to different degrees. */
    private static final double MOST_APART = 2;

    private SharedShift() {}

    /**
     * A change of one series.
     *
     * @param software whose figure it is; what shares it is related
     * @param place host, kind of machine or driver version that the runs had
     * @param earliestMicros end of the last run that surely was before the change
     * @param latestMicros end of the first run that surely was after it
     * @param worsening relative, from -1; above 0 where the figure got worse, whichever direction that is
     */
    public record Shift(String software, String place, long earliestMicros, long latestMicros, double worsening) {}

    /** Which of the changes are shared with another program, by their positions. */
    public static List<Integer> of(List<Shift> shifts) {
        List<Integer> shared = new ArrayList<>();
        for (int i = 0; i < shifts.size(); i++) {
            Shift one = shifts.get(i);
            if (shifts.stream().anyMatch(other -> isAlike(one, other))) {
                shared.add(i);
            }
        }
        return shared;
    }

    private static boolean isAlike(Shift one, Shift other) {
        double ratio = Math.log1p(one.worsening) / Math.log1p(other.worsening);
        return !one.software.equals(other.software)
                && one.place.equals(other.place)
                && one.earliestMicros <= other.latestMicros
                && other.earliestMicros <= one.latestMicros
                && ratio >= 1 / MOST_APART
                && ratio <= MOST_APART;
    }
}
