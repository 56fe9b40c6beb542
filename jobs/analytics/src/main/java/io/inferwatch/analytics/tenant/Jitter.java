package io.inferwatch.analytics.tenant;

import io.inferwatch.analytics.shape.Estimate;
import java.util.Optional;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * How far a tenant's quantile wanders from window to window: its standard deviation, with the 95 % limits of chi-squared. Windows that resemble their
 * neighbours tell less: with the autocorrelation r they count as n (1 - r^2) / (1 + r^2) for a variance [Bayley and Hammersley 1946].
 *
 * @param windows how many there are
 * @param mean of the quantile over windows, in its unit
 * @param deviation in the same unit
 */
public record Jitter(int windows, double mean, Estimate deviation) {
    /** Fewer windows show no jitter. */
    public static final int MIN_WINDOWS = 10;

    private static final double TAIL = 0.025;

    /**
     * The jitter of windows' quantiles, in the order of time.
     *
     * @return empty for fewer than {@value #MIN_WINDOWS}, or where they are worth fewer than three
     */
    public static Optional<Jitter> of(double... quantiles) {
        int n = quantiles.length;
        if (n < MIN_WINDOWS) {
            return Optional.empty();
        }
        double mean = 0;
        for (double quantile : quantiles) {
            if (!Double.isFinite(quantile)) {
                throw new IllegalArgumentException("quantiles: must be finite, found " + quantile);
            }
            mean += quantile / n;
        }
        double squares = 0;
        double products = 0;
        for (int i = 0; i < n; i++) {
            squares += Math.pow(quantiles[i] - mean, 2);
            products += i == 0 ? 0 : (quantiles[i] - mean) * (quantiles[i - 1] - mean);
        }
        double correlation = squares == 0 ? 0 : products / squares;
        double worth = n * (1 - correlation * correlation) / (1 + correlation * correlation);
        double freedom = Math.min(n, worth) - 1;
        if (freedom < 2) {
            return Optional.empty();
        }
        double variance = squares / (n - 1);
        ChiSquaredDistribution chi = ChiSquaredDistribution.of(freedom);
        return Optional.of(new Jitter(
                n,
                mean,
                new Estimate(
                        Math.sqrt(variance),
                        Math.sqrt(variance * freedom / chi.inverseSurvivalProbability(TAIL)),
                        Math.sqrt(variance * freedom / chi.inverseCumulativeProbability(TAIL)))));
    }

    /** How many times as restless as another one, by the deviations alone. */
    public double times(Jitter other) {
        return deviation.value() / other.deviation.value();
    }
}
