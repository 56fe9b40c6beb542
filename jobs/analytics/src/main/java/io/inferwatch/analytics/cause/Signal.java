package io.inferwatch.analytics.cause;

import java.time.Duration;
import java.util.Arrays;

/**
 * How much a reading departed from what it was before a breach, and whether before the breach or after it [BARO: Pham et al. 2024].
 *
 * @param name of the reading
 * @param change how far it went from its median, in interquartile ranges of before; below 0 downwards
 * @param lead how long before the breach it began to depart; negative where it followed it, zero too where it never did
 * @param departed whether it did: two windows in a row further than three
 */
public record Signal(String name, double change, Duration lead, boolean departed) {
    private static final double FAR = 3;
    private static final double GREATEST = 50;
    private static final double FLOOR = 0.01;
    private static final Duration MOST_LEAD = Duration.ofMinutes(10);

    /**
     * A reading in windows of equal length.
     *
     * @param before how many of the first ones were before anything happened, at least 8
     * @param breach the window in which the breach began, no earlier
     */
    public static Signal of(String name, double[] values, int before, int breach, Duration window) {
        if (before < 8 || breach < before || breach >= values.length) {
            throw new IllegalArgumentException("before, breach: must be from 8 and from before to "
                    + (values.length - 1) + ", found " + before + ", " + breach);
        }
        double[] quiet = Arrays.copyOf(values, before);
        Arrays.sort(quiet);
        double median = quantile(quiet, 0.5);
        // A reading that never moved would make any step infinite.
        double range =
                Math.max(quantile(quiet, 0.75) - quantile(quiet, 0.25), FLOOR * Math.max(Math.abs(median), 1e-9));
        double greatest = 0;
        int onset = -1;
        for (int i = before; i < values.length; i++) {
            double z = (values[i] - median) / range;
            greatest = Math.abs(z) > Math.abs(greatest) ? z : greatest;
            boolean isFar = Math.abs(z) > FAR;
            boolean stays = i + 1 < values.length && (values[i + 1] - median) / range * Math.signum(z) > FAR;
            onset = onset < 0 && isFar && stays ? i : onset;
        }
        return new Signal(
                name,
                Math.max(-GREATEST, Math.min(GREATEST, greatest)),
                onset < 0 ? Duration.ZERO : window.multipliedBy((long) breach - onset),
                onset >= 0);
    }

    /** From 0 to 1: how much it departed, by logarithm, times what its order in time is worth. */
    double weight() {
        return departed ? Math.log1p(Math.abs(change)) / Math.log1p(GREATEST) * order() : 0;
    }

    private double order() {
        if (lead.isNegative() || lead.compareTo(MOST_LEAD) > 0) {
            return 0.1;
        }
        return lead.isZero() ? 0.5 : 1;
    }

    private static double quantile(double[] sorted, double q) {
        double at = q * (sorted.length - 1);
        int below = (int) at;
        double part = at - below;
        return sorted[below] * (1 - part) + sorted[Math.min(sorted.length - 1, below + 1)] * part;
    }
}
