package io.inferwatch.analytics.schedule;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TruncatedNormalDistribution;

/**
 * Lengths whose logarithms are normally distributed, of which only those within limits occur: what lies outside is drawn anew, not cut to the limit, so that no limit is a
 * peak. Lengths are whole: each is the rounded value.
 *
 * @param mu mean of the logarithm before truncation
 * @param sigma standard deviation of the logarithm before truncation, above 0
 * @param min least length, at least 1
 * @param max greatest length
 */
public record TruncatedLognormal(double mu, double sigma, int min, int max) {
    private static final int FIT_ROUNDS = 10_000;
    private static final NormalDistribution STANDARD = NormalDistribution.of(0, 1);

    /** Checks the numbers; between the limits must lie what a random number can hit. */
    public TruncatedLognormal {
        if (!Double.isFinite(mu)) {
            throw new IllegalArgumentException("mu: must be finite, found " + mu);
        }
        if (!(sigma > 0 && Double.isFinite(sigma))) {
            throw new IllegalArgumentException("sigma: must be above 0, found " + sigma);
        }
        if (min < 1) {
            throw new IllegalArgumentException("min: must be at least 1, found " + min);
        }
        if (max <= min) {
            throw new IllegalArgumentException("max: must be above min = " + min + ", found " + max);
        }
        if (!(below(max, mu, sigma) - below(min, mu, sigma) > 1e-9)) {
            throw new IllegalArgumentException(
                    "min, max: must hold some of the distribution, found " + min + " to " + max);
        }
    }

    /**
     * The length below which a share of all lie.
     *
     * @param share from 0 to 1
     */
    public int quantile(double share) {
        double low = below(min, mu, sigma);
        double p = low + share * (below(max, mu, sigma) - low);
        double length = Math.exp(mu + sigma * STANDARD.inverseCumulativeProbability(p));
        return (int) Math.max(min, Math.min(max, Math.round(length)));
    }

    /** Mean before rounding, in closed form. */
    public double mean() {
        double a = (Math.log(min) - mu) / sigma;
        double b = (Math.log(max) - mu) / sigma;
        double inside = STANDARD.cumulativeProbability(b) - STANDARD.cumulativeProbability(a);
        return Math.exp(mu + sigma * sigma / 2)
                * (STANDARD.cumulativeProbability(b - sigma) - STANDARD.cumulativeProbability(a - sigma))
                / inside;
    }

    private static double below(double length, double mu, double sigma) {
        return STANDARD.cumulativeProbability((Math.log(length) - mu) / sigma);
    }

    /**
     * The distribution under which lengths within the limits are likeliest. Its logarithms have the mean and variance of the lengths' own, which two numbers in turn are moved to until they do.
     *
     * @param lengths at least two different ones within the limits; others are left out
     * @throws IllegalArgumentException when there are not
     */
    public static TruncatedLognormal fit(int[] lengths, int min, int max) {
        double[] logs = Arrays.stream(lengths)
                .filter(length -> length >= min && length <= max)
                .mapToDouble(Math::log)
                .toArray();
        double mean = Arrays.stream(logs).average().orElse(0);
        double variance = Arrays.stream(logs)
                .map(log -> (log - mean) * (log - mean))
                .average()
                .orElse(0);
        if (!(variance > 0)) {
            throw new IllegalArgumentException(
                    "lengths: must be at least two different ones from " + min + " to " + max + ", found fewer");
        }
        double mu = mean;
        double sigma = Math.sqrt(variance);
        for (int round = 0; round < FIT_ROUNDS; round++) {
            TruncatedNormalDistribution fitted =
                    TruncatedNormalDistribution.of(mu, sigma, Math.log(min), Math.log(max));
            double step = mean - fitted.getMean();
            double factor = Math.sqrt(variance / fitted.getVariance());
            mu += step;
            // Wider than ten times the limits, it is even between them: no number tells more.
            sigma = Math.min(sigma * factor, 10 * (Math.log(max) - Math.log(min)));
            if (Math.abs(step) < 1e-9 && Math.abs(factor - 1) < 1e-9) {
                break;
            }
        }
        return new TruncatedLognormal(mu, sigma, min, max);
    }
}
