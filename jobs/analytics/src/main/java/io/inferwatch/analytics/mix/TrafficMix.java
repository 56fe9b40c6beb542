package io.inferwatch.analytics.mix;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.QuantileComparison;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.EffectiveSample.Part;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Two samples of a metric by buckets of traffic (prompt length, cache reuse), compared as if the current one had the baseline's mix.
 *
 * <p>Like can be compared with like only in buckets that both samples have. Rate is the change within these, with the baseline's weights;
 * a bucket that is new or has vanished says nothing about the server, and all that it changes is mix. Where less than half of either
 * sample is in common buckets nothing is adjusted. A bucket with few current values but much weight lowers the number of values that the
 * adjusted sample is worth, and with it what can be said: see {@link EffectiveSample#reweighted}. Not thread safe.
 */
public final class TrafficMix {
    /** The least share of either sample that must be in common buckets. */
    public static final double MIN_COVERED = 0.5;

    private final QuantileSketch baseline;
    private final QuantileSketch current;
    private final List<Bucket> common = new ArrayList<>();
    private final double covered;
    private @Nullable EffectiveSample commonBaseline;
    private @Nullable Reweighted reweighted;

    private record Bucket(QuantileSketch baseline, QuantileSketch current) {}

    /** The current sample with the baseline's weights, as it is made for one quantile. */
    private record Reweighted(double quantile, EffectiveSample sample) {}

    private TrafficMix(
            Map<String, QuantileSketch> before,
            QuantileSketch baseline,
            Map<String, QuantileSketch> now,
            QuantileSketch current) {
        this.baseline = baseline;
        this.current = current;
        long baselineIn = 0;
        long currentIn = 0;
        // In the keys' order, so that rounding does not depend on the map's.
        for (String key : before.keySet().stream().sorted().toList()) {
            QuantileSketch of = before.get(key);
            QuantileSketch in = now.get(key);
            if (of != null && in != null && of.n() > 0 && in.n() > 0) {
                common.add(new Bucket(of, in));
                baselineIn += of.n();
                currentIn += in.n();
            }
        }
        covered = common.isEmpty() ? 0 : Math.min((double) baselineIn / baseline.n(), (double) currentIn / current.n());
    }

    /** The samples by bucket; an absent bucket and an empty one are the same. */
    public static TrafficMix of(Map<String, QuantileSketch> baseline, Map<String, QuantileSketch> current) {
        return of(baseline, merged(baseline.values()), current, merged(current.values()));
    }

    /**
     * The same with all values of each side at hand, which cost as much as all else where there are many buckets.
     *
     * @param baselineTotal all of the baseline, merged
     * @param currentTotal all of the current sample, merged
     */
    public static TrafficMix of(
            Map<String, QuantileSketch> baseline,
            QuantileSketch baselineTotal,
            Map<String, QuantileSketch> current,
            QuantileSketch currentTotal) {
        return new TrafficMix(baseline, baselineTotal, current, currentTotal);
    }

    private static QuantileSketch merged(Collection<QuantileSketch> sketches) {
        QuantileSketch merged = new QuantileSketch();
        sketches.forEach(merged::merge);
        return merged;
    }

    /** The share of the samples in buckets that both have, of that sample which has less in them: 0 to 1. */
    public double covered() {
        return covered;
    }

    /**
     * The quantile of all values, whatever their mix.
     *
     * @param designEffect how many requests tell as much as one independent one; what is below counts as 1
     */
    public Comparison raw(double quantile, double designEffect, DriftRule rule) {
        return QuantileComparison.of(
                EffectiveSample.of(baseline).correlated(designEffect),
                EffectiveSample.of(current).correlated(designEffect),
                quantile,
                rule);
    }

    /**
     * The quantile with the baseline's mix on both sides, over common buckets; not estimable where too little is in them.
     *
     * @param designEffect how many requests tell as much as one independent one; what is below counts as 1
     */
    public Comparison adjusted(double quantile, double designEffect, DriftRule rule) {
        if (covered < MIN_COVERED) {
            return new Comparison.NotEstimable(baseline.n(), current.n());
        }
        return QuantileComparison.of(
                commonBaseline().correlated(designEffect),
                reweighted(quantile).correlated(designEffect),
                quantile,
                rule);
    }

    /** The change of the quantile: rate = Q(current, baseline's weights) - Q(baseline), both over common buckets, and mix the rest. */
    public Optional<Decomposition> ofQuantile(double quantile) {
        if (covered < MIN_COVERED) {
            return Optional.empty();
        }
        double total = current.quantile(quantile) - baseline.quantile(quantile);
        double rate = reweighted(quantile).quantile(quantile) - commonBaseline().quantile(quantile);
        return Optional.of(new Decomposition(total, rate, total - rate));
    }

    /**
     * The change of the mean [Kitagawa 1955]: rate = sum over common buckets of (m_c - m_b) (w_b + w_c) / 2, mix = sum of
     * (w_c - w_b) (m_b + m_c) / 2; a bucket that one side lacks has no mean there and is given the other's, which makes its part all mix.
     */
    public Optional<Decomposition> ofMean() {
        if (covered < MIN_COVERED) {
            return Optional.empty();
        }
        double total = current.mean() - baseline.mean();
        double rate = 0;
        for (Bucket bucket : common) {
            double weights = (double) bucket.baseline.n() / baseline.n() + (double) bucket.current.n() / current.n();
            rate += (bucket.current.mean() - bucket.baseline.mean()) * weights / 2;
        }
        return Optional.of(new Decomposition(total, rate, total - rate));
    }

    private EffectiveSample commonBaseline() {
        if (commonBaseline == null) {
            QuantileSketch values = merged(common.stream().map(Bucket::baseline).toList());
            commonBaseline = EffectiveSample.of(values);
        }
        return commonBaseline;
    }

    private EffectiveSample reweighted(double quantile) {
        if (reweighted == null || reweighted.quantile != quantile) {
            List<Part> parts = common.stream()
                    .map(bucket -> new Part(bucket.current, (double) bucket.baseline.n()))
                    .toList();
            reweighted = new Reweighted(quantile, EffectiveSample.reweighted(parts, quantile));
        }
        return reweighted.sample;
    }
}
