package io.inferwatch.analytics.schedule;

import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.apache.commons.statistics.distribution.ContinuousDistribution;
import org.apache.commons.statistics.distribution.ExponentialDistribution;
import org.apache.commons.statistics.distribution.GammaDistribution;
import org.apache.commons.statistics.distribution.WeibullDistribution;

/**
 * How the gaps between arrivals are distributed, in seconds. A coefficient of variation of 1 is Poisson's, above it arrivals come in clumps, below it they are
 * more even than chance. The same random numbers give the same gaps.
 */
public sealed interface Gaps {
    /** All alike. */
    record Constant(double seconds) implements Gaps {
        /** Checks the number. */
        public Constant {
            requirePositive("seconds", seconds);
        }

        @Override
        public double mean() {
            return seconds;
        }

        @Override
        public double variation() {
            return 0;
        }

        @Override
        public double cumulative(double gap) {
            return gap < seconds ? 0 : 1;
        }

        @Override
        public DoubleSupplier sampler(LongSupplier bits) {
            return () -> seconds;
        }
    }

    /** The gaps of a Poisson process. */
    record Exponential(double seconds) implements Gaps {
        /** Checks the number. */
        public Exponential {
            requirePositive("seconds", seconds);
        }

        @Override
        public double mean() {
            return seconds;
        }

        @Override
        public double variation() {
            return 1;
        }

        @Override
        public double cumulative(double gap) {
            return ExponentialDistribution.of(seconds).cumulativeProbability(gap);
        }

        @Override
        public DoubleSupplier sampler(LongSupplier bits) {
            return Gaps.sampler(ExponentialDistribution.of(seconds), bits);
        }
    }

    /** Gamma with shape k and scale theta: mean k theta, variation 1 / sqrt k. */
    record Gamma(double shape, double scaleSeconds) implements Gaps {
        /** Checks the numbers. */
        public Gamma {
            requirePositive("shape", shape);
            requirePositive("scale", scaleSeconds);
        }

        @Override
        public double mean() {
            return shape * scaleSeconds;
        }

        @Override
        public double variation() {
            return 1 / Math.sqrt(shape);
        }

        @Override
        public double cumulative(double gap) {
            return GammaDistribution.of(shape, scaleSeconds).cumulativeProbability(gap);
        }

        @Override
        public DoubleSupplier sampler(LongSupplier bits) {
            return Gaps.sampler(GammaDistribution.of(shape, scaleSeconds), bits);
        }
    }

    /** Weibull with shape k and scale lambda. */
    record Weibull(double shape, double scaleSeconds) implements Gaps {
        /** Checks the numbers. */
        public Weibull {
            requirePositive("shape", shape);
            requirePositive("scale", scaleSeconds);
        }

        @Override
        public double mean() {
            return WeibullDistribution.of(shape, scaleSeconds).getMean();
        }

        @Override
        public double variation() {
            WeibullDistribution distribution = WeibullDistribution.of(shape, scaleSeconds);
            return Math.sqrt(distribution.getVariance()) / distribution.getMean();
        }

        @Override
        public double cumulative(double gap) {
            return WeibullDistribution.of(shape, scaleSeconds).cumulativeProbability(gap);
        }

        @Override
        public DoubleSupplier sampler(LongSupplier bits) {
            return Gaps.sampler(WeibullDistribution.of(shape, scaleSeconds), bits);
        }
    }

    /** Mean gap in seconds. */
    double mean();

    /** Standard deviation by mean. */
    double variation();

    /** The probability of a gap of at most so many seconds. */
    double cumulative(double gap);

    /**
     * Gaps in seconds, one after the other.
     *
     * @param bits 64 random bits with each call
     */
    DoubleSupplier sampler(LongSupplier bits);

    /**
     * Gamma gaps of a mean rate.
     *
     * @param ratePerSecond above 0
     * @param burstiness the shape: 1 is Poisson's, less comes in clumps, more is evener
     */
    static Gaps gamma(double ratePerSecond, double burstiness) {
        return new Gamma(burstiness, 1 / (ratePerSecond * burstiness));
    }

    private static DoubleSupplier sampler(ContinuousDistribution distribution, LongSupplier bits) {
        ContinuousDistribution.Sampler sampler = distribution.createSampler(bits::getAsLong);
        return sampler::sample;
    }

    private static void requirePositive(String name, double value) {
        if (!(value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException(name + ": must be above 0, found " + value);
        }
    }
}
