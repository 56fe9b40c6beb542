package io.inferwatch.analytics.quantile;

import java.util.List;
import java.util.Optional;

/**
 * A distribution as the tests see it: the buckets of a {@link QuantileSketch}, and the number of independent values that it is worth.
 * The two differ where requests of one engine batch resemble each other (design effect), and where parts are weighted otherwise than by
 * their counts (reweighting). Ranks and counts are then those of so many independent values with the same shares; without either they
 * are exactly the sketch's.
 *
 * <p>A snapshot: the sketches may change afterwards. Memory: 8 bytes for each bucket between the least and the greatest value. Not
 * thread safe.
 */
public final class EffectiveSample {
    /** Sums of weights that are not whole numbers may come out a hair below the rank that they reach. */
    private static final double ROUNDING = 1e-12;

    private final long counted;
    private final double n;
    private final double zeros;
    private final int firstBucket;
    private final double[] weights;
    private final double min;
    private final double max;

    private EffectiveSample(
            long counted, double n, double zeros, int firstBucket, double[] weights, double min, double max) {
        this.counted = counted;
        this.n = n;
        this.zeros = zeros;
        this.firstBucket = firstBucket;
        this.weights = weights;
        this.min = min;
        this.max = max;
    }

    /** The sketch, all of whose values are independent. */
    public static EffectiveSample of(QuantileSketch sketch) {
        return scaled(List.of(new Part(sketch, (double) sketch.n())), 1);
    }

    /**
     * The same shares, worth n / max(1, designEffect) values.
     *
     * @param designEffect see {@link DesignEffect}
     */
    public EffectiveSample correlated(double designEffect) {
        if (!Double.isFinite(designEffect)) {
            throw new IllegalArgumentException("designEffect: must be finite, found " + designEffect);
        }
        return designEffect <= 1 ? this : times(1 / designEffect);
    }

    private EffectiveSample times(double scale) {
        double[] scaled = new double[weights.length];
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = weights[i] * scale;
        }
        return new EffectiveSample(counted, n * scale, zeros * scale, firstBucket, scaled, min, max);
    }

    /**
     * Sketches mixed by given weights instead of by their counts, worth as many values as a simple sample with the same standard error of
     * the share above the p-quantile: q (1 - q) / sum of w_k^2 q_k (1 - q_k) / n_k [stratified sampling, Cochran 1977, 5.3], but no more than
     * Kish's 1 / sum of w_k^2 / n_k, which holds whatever the few values of a part happen to show.
     *
     * @param parts at least one; each holds values
     * @param p the quantile that the sample is for
     */
    public static EffectiveSample reweighted(List<Part> parts, double p) {
        double total = 0;
        double kish = 0;
        for (Part part : parts) {
            if (!(part.weight > 0) || part.sketch.n() == 0) {
                throw new IllegalArgumentException("parts: must have a weight above 0 and hold values, found "
                        + part.weight + " and " + part.sketch.n());
            }
            total += part.weight;
            kish += part.weight * part.weight / part.sketch.n();
        }
        double kishN = total * total / kish;
        EffectiveSample simple = scaled(parts, kishN / total);
        int bucket = simple.bucketOfQuantile(p);
        double share = simple.countAbove(bucket) / simple.n;
        double variance = 0;
        for (Part part : parts) {
            double shareOfPart = (double) part.sketch.countAbove(bucket) / part.sketch.n();
            double weight = part.weight / total;
            variance += weight * weight * shareOfPart * (1 - shareOfPart) / part.sketch.n();
        }
        double stratifiedN = variance > 0 ? share * (1 - share) / variance : Double.POSITIVE_INFINITY;
        return stratifiedN < kishN ? simple.times(stratifiedN / kishN) : simple;
    }

    /**
     * A sketch and the share that it is to have.
     *
     * @param weight above 0, in whatever unit all parts have
     */
    public record Part(QuantileSketch sketch, double weight) {}

    private static EffectiveSample scaled(List<Part> parts, double scale) {
        int first = LogBuckets.COUNT;
        int last = -1;
        long counted = 0;
        double min = Double.POSITIVE_INFINITY;
        double max = 0;
        double n = 0;
        for (Part part : parts) {
            QuantileSketch sketch = part.sketch;
            counted += sketch.n();
            n += part.weight * scale;
            if (sketch.n() > 0) {
                min = Math.min(min, (double) sketch.min());
                max = Math.max(max, (double) sketch.max());
            }
            if (sketch.n() > sketch.zeros()) {
                first = Math.min(first, sketch.bucketOfRank(sketch.zeros() + 1));
                last = Math.max(last, sketch.bucketOfRank(sketch.n()));
            }
        }
        double[] weights = new double[Math.max(0, last - first + 1)];
        double zeros = 0;
        int firstBucket = first;
        for (Part part : parts) {
            if (part.sketch.n() == 0) {
                continue;
            }
            // Exactly 1 for a sketch by itself, whose counts stay whole numbers.
            double perValue = part.weight / part.sketch.n() * scale;
            zeros += part.sketch.zeros() * perValue;
            part.sketch.forEachBucket((bucket, count) -> {
                if (bucket >= 0) {
                    weights[bucket - firstBucket] += count * perValue;
                }
            });
        }
        return new EffectiveSample(counted, n, zeros, firstBucket, weights, min, max);
    }

    /** How many values were counted. */
    public long counted() {
        return counted;
    }

    /** How many independent values they are worth. */
    public double n() {
        return n;
    }

    /**
     * The bucket that holds the p-quantile; -1 when that is zero.
     *
     * @throws IllegalStateException when empty
     */
    public int bucketOfQuantile(double p) {
        return bucketAt(p * n);
    }

    /**
     * The p-quantile, within 0.37 %.
     *
     * @throws IllegalStateException when empty
     */
    public double quantile(double p) {
        int bucket = bucketOfQuantile(p);
        return bucket < 0 ? 0 : Math.min(max, Math.max(min, LogBuckets.representative(bucket)));
    }

    /** How many of the n values lie in buckets above the given one; zeros lie below all. */
    public double countAbove(int bucket) {
        double above = 0;
        for (int i = Math.max(0, bucket + 1 - firstBucket); i < weights.length; i++) {
            above += weights[i];
        }
        return above;
    }

    /** The limits of {@link QuantileInterval}, for so many values as the sample is worth. */
    public Optional<QuantileInterval> interval(double p, double confidence) {
        long whole = (long) Math.floor(n * (1 + ROUNDING));
        QuantileInterval.requireProbabilities(p, confidence);
        if (whole < 1) {
            return Optional.empty();
        }
        QuantileInterval.Ranks ranks = QuantileInterval.Ranks.of(whole, p, confidence);
        if (ranks.upper() > whole) {
            return Optional.empty();
        }
        double perRank = n / whole;
        double low = ranks.lower() < 1 ? 0 : lowerBound(bucketAt(ranks.lower() * perRank));
        return Optional.of(new QuantileInterval(low, upperBound(bucketAt(ranks.upper() * perRank))));
    }

    private double lowerBound(int bucket) {
        return bucket < 0 ? 0 : Math.max(min, LogBuckets.lowerBound(bucket));
    }

    private double upperBound(int bucket) {
        if (bucket < 0) {
            return 0;
        }
        return bucket == LogBuckets.COUNT - 1 ? max : Math.min(max, LogBuckets.upperBound(bucket));
    }

    private int bucketAt(double rank) {
        if (!(n > 0)) {
            throw new IllegalStateException("an empty sample has no quantiles");
        }
        double wanted = rank * (1 - ROUNDING);
        double cumulated = zeros;
        if (weights.length == 0 || (zeros > 0 && cumulated >= wanted)) {
            return -1;
        }
        int i = 0;
        cumulated += weights[0];
        while (cumulated < wanted && i < weights.length - 1) {
            cumulated += weights[++i];
        }
        return firstBucket + i;
    }
}
