package io.inferwatch.analytics.mix;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.QuantileComparison;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.EffectiveSample.Part;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Two samples of a metric by buckets of traffic (prompt length, cache reuse), compared as if the current one had the baseline's mix.
 *
 * <p>Like can be compared with like only in buckets that both samples have. Rate is the change within these, with the baseline's weights;
 * a bucket that is new or has vanished says nothing about the server, and all that it changes is mix. Where less than half of either
 * sample is in common buckets nothing is adjusted. A bucket with few current values but much weight lowers the number of values that the
 * adjusted sample is worth, and with it what can be said: see {@link EffectiveSample#reweighted}.
 */
public final class TrafficMix {
    /** The least share of either sample that must be in common buckets. */
    public static final double MIN_COVERED = 0.5;

    private final QuantileSketch baseline = new QuantileSketch();
    private final QuantileSketch current = new QuantileSketch();
    private final List<Bucket> common = new ArrayList<>();
    private final double covered;

    private record Bucket(QuantileSketch baseline, QuantileSketch current) {}

    private TrafficMix(Map<String, QuantileSketch> before, Map<String, QuantileSketch> now) {
        before.values().forEach(baseline::merge);
        now.values().forEach(current::merge);
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
        return new TrafficMix(baseline, current);
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
        QuantileSketch merged = new QuantileSketch();
        common.forEach(bucket -> merged.merge(bucket.baseline));
        return EffectiveSample.of(merged);
    }

    private EffectiveSample reweighted(double quantile) {
        return EffectiveSample.reweighted(
                common.stream()
                        .map(bucket -> new Part(bucket.current, (double) bucket.baseline.n()))
                        .toList(),
                quantile);
    }
}
