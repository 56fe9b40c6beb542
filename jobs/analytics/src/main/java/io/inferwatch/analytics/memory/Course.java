package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.List;
import java.util.Optional;

/**
 * A figure over a window: what it was on average and at most, and where it goes. Measured if every reading was.
 *
 * @param n readings
 * @param mean of all readings, which are taken at about equal distances
 * @param greatest of all readings
 * @param clamped estimates among them that were impossible as computed
 * @param trend empty where readings are too few, or resemble each other too much
 */
public record Course(int n, Figure mean, Figure greatest, int clamped, Optional<Trend> trend) {
    /** A figure and when it was read, epoch microseconds. */
    public record Reading(long atMicros, Figure figure) {}

    /**
     * The course of readings.
     *
     * @param readings at least one, in the order of their times
     */
    public static Course of(List<Reading> readings) {
        int n = readings.size();
        if (n == 0) {
            throw new IllegalArgumentException("readings: must be at least one, found none");
        }
        long[] atMicros = new long[n];
        double[] values = new double[n];
        double sum = 0;
        double computedSum = 0;
        Figure greatest = readings.get(0).figure;
        boolean isMeasured = true;
        int clamped = 0;
        for (int i = 0; i < n; i++) {
            Figure figure = readings.get(i).figure;
            Estimated estimate = figure.asEstimate();
            atMicros[i] = readings.get(i).atMicros;
            values[i] = figure.value();
            sum += figure.value();
            computedSum += estimate.computed();
            isMeasured &= figure instanceof Measured;
            clamped += estimate.isClamped() ? 1 : 0;
            greatest = figure.value() > greatest.value() ? figure : greatest;
        }
        return new Course(
                n,
                isMeasured ? new Measured(sum / n) : new Estimated(sum / n, computedSum / n),
                isMeasured ? greatest : greatest.asEstimate(),
                clamped,
                Trend.of(atMicros, values));
    }
}
