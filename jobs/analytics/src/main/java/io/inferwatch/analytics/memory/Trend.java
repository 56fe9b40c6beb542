package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.shape.Estimate;
import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The straight line that readings lie along, by least squares. Readings that resemble their neighbours tell less: where residuals have
 * the autocorrelation r they count as n (1 - r) / (1 + r), and errors and degrees of freedom are those of so many [Santer et al. 2000,
 * J. Geophys. Res. 105, 7337]; r is raised by (2 + 4 r) / n, by which it comes out too low after a line was taken off [Kendall 1954]. Readings are
 * taken at about equal distances.
 *
 * @param n readings
 * @param level of the line at the last reading
 * @param slope of the line per second
 * @param levelVariance squared standard error of the level
 * @param slopeVariance squared standard error of the slope
 * @param covariance of the two
 * @param errors standard errors from a value to its two-sided 95 % limits: Student's
 */
public record Trend(
        int n,
        double level,
        double slope,
        double levelVariance,
        double slopeVariance,
        double covariance,
        double errors) {
    /** Fewer readings show no line. */
    public static final int MIN_N = 10;

    private static final double TAIL = 0.025;
    private static final double ROUNDING = 1e-12;

    /**
     * The trend of readings.
     *
     * @param atMicros when they were taken, rising
     * @param values as many, finite
     * @return empty for fewer than {@value #MIN_N} of them, or where they are worth fewer than three
     */
    public static Optional<Trend> of(long[] atMicros, double[] values) {
        requireReadings(atMicros, values);
        int n = values.length;
        if (n < MIN_N) {
            return Optional.empty();
        }
        // Seconds since the last reading, so that the line's level there is what it begins with.
        double[] seconds = new double[n];
        double meanSeconds = 0;
        double mean = 0;
        for (int i = 0; i < n; i++) {
            seconds[i] = (atMicros[i] - atMicros[n - 1]) / 1e6;
            meanSeconds += seconds[i] / n;
            mean += values[i] / n;
        }
        double squaredSeconds = 0;
        double products = 0;
        for (int i = 0; i < n; i++) {
            double distance = seconds[i] - meanSeconds;
            squaredSeconds += distance * distance;
            products += distance * (values[i] - mean);
        }
        double slope = products / squaredSeconds;
        double level = mean - slope * meanSeconds;
        double[] residuals = new double[n];
        double squares = 0;
        double greatest = 0;
        for (int i = 0; i < n; i++) {
            residuals[i] = values[i] - level - slope * seconds[i];
            squares += residuals[i] * residuals[i];
            greatest = Math.max(greatest, Math.abs(values[i]));
        }
        // What rounding leaves of readings on a line resembles its neighbours by nature.
        boolean isLine = squares <= n * Math.pow(ROUNDING * greatest, 2);
        double correlation = isLine ? 0 : correlation(residuals, squares);
        double freedom = n * (1 - correlation) / (1 + correlation) - 2;
        if (freedom < 1) {
            return Optional.empty();
        }
        double variance = squares / freedom;
        double slopeVariance = variance / squaredSeconds;
        return Optional.of(new Trend(
                n,
                level,
                slope,
                variance / n + slopeVariance * meanSeconds * meanSeconds,
                slopeVariance,
                -slopeVariance * meanSeconds,
                TDistribution.of(freedom).inverseSurvivalProbability(TAIL)));
    }

    /** Of residuals with their neighbours, from 0 to 1, with what it comes out too low by. */
    private static double correlation(double[] residuals, double squares) {
        double products = 0;
        for (int i = 1; i < residuals.length; i++) {
            products += residuals[i] * residuals[i - 1];
        }
        double measured = products / squares;
        return Math.max(0, Math.min(1, measured + (2 + 4 * measured) / residuals.length));
    }

    /** The slope with its limits, per second. */
    public Estimate perSecond() {
        double reach = errors * Math.sqrt(slopeVariance);
        return new Estimate(slope, slope - reach, slope + reach);
    }

    /**
     * When the line reaches a limit from below, in seconds from the last reading: 0 where it is there already, infinite where it never gets
     * there. The earliest and the latest time are those at which the upper and the lower limit of the line at 95 % get there [Fieller 1954]; the
     * latest is infinite until the rise is proven. It is the line that is told of, about which readings lie: for memory give the peaks of windows.
     */
    public Estimate secondsUntil(double limit) {
        double room = limit - level;
        double expected = room <= 0 ? 0 : slope > 0 ? room / slope : Double.POSITIVE_INFINITY;
        // Squared distance of the line from the limit less that of its own limits, h seconds from now: a h^2 - 2 b h +
        // c.
        double squaredErrors = errors * errors;
        double a = slope * slope - squaredErrors * slopeVariance;
        double b = room * slope + squaredErrors * covariance;
        double c = room * room - squaredErrors * levelVariance;
        double root = Math.sqrt(Math.max(0, b * b - a * c));
        return new Estimate(expected, earliest(room, b, c, root), latest(room, a, b, c, root));
    }

    private static double earliest(double room, double b, double c, double root) {
        if (room <= 0 || c <= 0) {
            return 0;
        }
        return b + root > 0 ? c / (b + root) : Double.POSITIVE_INFINITY;
    }

    private double latest(double room, double a, double b, double c, double root) {
        if (room <= 0 && c >= 0) {
            return 0;
        }
        return slope > 0 && a > 0 ? (b + root) / a : Double.POSITIVE_INFINITY;
    }

    private static void requireReadings(long[] atMicros, double[] values) {
        if (atMicros.length != values.length) {
            throw new IllegalArgumentException(
                    "values: must be one for each of " + atMicros.length + " times, found " + values.length);
        }
        for (int i = 0; i < values.length; i++) {
            if (!Double.isFinite(values[i])) {
                throw new IllegalArgumentException("values: must be finite, found " + values[i]);
            }
            if (i > 0 && atMicros[i] <= atMicros[i - 1]) {
                throw new IllegalArgumentException(
                        "atMicros: must rise, found " + atMicros[i] + " after " + atMicros[i - 1]);
            }
        }
    }
}
