package io.inferwatch.analytics.shape;

import io.inferwatch.analytics.drift.Moments;
import java.util.List;
import java.util.Optional;

/**
 * By how much more of something there is for the same length: tokens for a character of JSON against plain text. Both are compared within
 * narrow buckets of length, and the logarithms of the ratios put together by their inverse variances [Woolf 1955], so that different mixes of
 * lengths do not matter. Tokens grow with characters, hence the variance of a bucket's mean tokens alone is no less than that of their ratio
 * to characters: limits are on the wide side.
 */
public final class RatioOfMeans {
    private RatioOfMeans() {}

    /** What is counted in one bucket of length, and the lengths there. */
    public record Bucket(Moments counted, Moments length) {
        boolean isThin() {
            return counted.n() < Estimate.MIN_N || !(counted.mean() > 0) || !(length.mean() > 0);
        }

        double density() {
            return counted.mean() / length.mean();
        }

        double squaredError() {
            return counted.variance() / (counted.n() * counted.mean() * counted.mean());
        }
    }

    /** The same bucket of both sides. */
    public record Pair(Bucket of, Bucket against) {}

    /** The ratio over all pairs that hold {@value Estimate#MIN_N} values on both sides; empty when none does. */
    public static Optional<Estimate> of(List<Pair> pairs) {
        double weights = 0;
        double sum = 0;
        for (Pair pair : pairs) {
            if (!pair.of.isThin() && !pair.against.isThin()) {
                // A bucket whose values are all the same would count for everything; 1e-9 is far below any real error.
                double weight = 1 / Math.max(1e-9, pair.of.squaredError() + pair.against.squaredError());
                weights += weight;
                sum += weight * Math.log(pair.of.density() / pair.against.density());
            }
        }
        if (!(weights > 0)) {
            return Optional.empty();
        }
        double log = sum / weights;
        double reach = Estimate.reach() / Math.sqrt(weights);
        return Optional.of(new Estimate(Math.exp(log), Math.exp(log - reach), Math.exp(log + reach)));
    }
}
