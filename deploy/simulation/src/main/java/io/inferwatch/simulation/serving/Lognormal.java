package io.inferwatch.simulation.serving;

import java.util.SplittableRandom;

/**
 * A lognormal distribution of durations or sizes: {@code median * exp(sigma * z)} with standard normal z.
 *
 * @param median half of the values are below it; not negative
 * @param sigma spread of the logarithm; not negative, 0 is always the median
 */
public record Lognormal(double median, double sigma) {
    private static final double Z95 = 1.6448536269514722;

    /** Checked. */
    public Lognormal {
        if (!(median >= 0) || !(sigma >= 0)) {
            throw new IllegalArgumentException(
                    "lognormal: median and sigma must not be negative, found " + median + " and " + sigma);
        }
    }

    /** The distribution with these two quantiles. */
    public static Lognormal ofMedianAndP95(double median, double p95) {
        return new Lognormal(median, Math.log(p95 / median) / Z95);
    }

    /** The next value. */
    public double next(SplittableRandom random) {
        return median * Math.exp(sigma * gaussian(random));
    }

    /** By Box and Muller, so that a seed gives the same values in every Java. */
    private static double gaussian(SplittableRandom random) {
        double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
        return radius * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
