package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.mix.TrafficMix;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Looks at groups of units with one baseline.
 *
 * <p>Within windows, look number i has the chance alpha / 2^i of a false alarm. Between them every look has alpha / 2: groups of 2 units are
 * half as many as units, those of 4 a quarter, so that all together keep within alpha a unit too.
 */
final class Looker {
    private final PastPool baseline;
    private final boolean isByHourClass;
    private final Statistic statistic;
    private final double designEffect;
    private final DriftRule rule;
    private final Statistic.Against against;
    private final @Nullable PastWindows past;

    Looker(PastPool baseline, boolean isByHourClass, Statistic statistic, double designEffect, DriftRule rule) {
        this.baseline = baseline;
        this.isByHourClass = isByHourClass;
        this.statistic = statistic;
        this.designEffect = designEffect;
        this.rule = rule;
        this.against = statistic.against(baseline.sample(), designEffect, rule);
        this.past = rule.minWindows() == 0
                ? null
                : PastWindows.of(statistic.scale(), baseline.scores(), rule.withAlpha(rule.alpha() / 2))
                        .orElse(null);
    }

    /** The bucket of the baseline's quantile; -1 where there is none. */
    int tailBucket() {
        if (!(statistic instanceof Statistic.Quantile quantile) || !(baseline.sample() instanceof Values values)) {
            return -1;
        }
        QuantileSketch total = values.total();
        return total.n() == 0 ? -1 : Math.max(0, total.bucketOfRank(total.rankOf(quantile.q())));
    }

    Judged look(UnitGroup group) {
        Sample current = group.content().sample();
        Comparison comparison = against.compare(current);
        Finding raw = finding(comparison, group, 0);
        if (current instanceof Values now
                && baseline.sample() instanceof Values then
                && statistic instanceof Statistic.Quantile quantile
                && isMixed(then, now)) {
            TrafficMix mix = TrafficMix.of(then.byBucket(), then.total(), now.byBucket(), now.total());
            Comparison adjusted = mix.adjusted(quantile.q(), designEffect, rule);
            return new Judged(
                    group.windows(),
                    group.units(),
                    isByHourClass,
                    raw,
                    finding(adjusted, group, adjustment(comparison, adjusted)),
                    current,
                    then,
                    mix.ofQuantile(quantile.q()).orElse(null),
                    mix.ofMean().orElse(null),
                    mix.covered());
        }
        return new Judged(
                group.windows(), group.units(), isByHourClass, raw, null, current, baseline.sample(), null, null, 1);
    }

    /** Judges a comparison of a group, with so much added to the scores of its units. */
    private Finding finding(Comparison comparison, UnitGroup group, double adjustment) {
        if (!(comparison instanceof Measured measured)) {
            return Finding.of(comparison, null, rule);
        }
        OptionalDouble score = group.content().meanScore();
        PredictionInterval between = past == null || score.isEmpty()
                ? null
                : past.place(score.getAsDouble() + adjustment, group.content().windows());
        return Finding.of(measured.looked(2 << group.looks()), between, rule);
    }

    /** What the mix has added to the score. */
    private static double adjustment(Comparison raw, Comparison adjusted) {
        return raw instanceof Measured all && adjusted instanceof Measured like
                ? like.scale().toScore(like.change()) - all.scale().toScore(all.change())
                : 0;
    }

    private static boolean isMixed(Values then, Values now) {
        return then.byBucket().size() > 1
                || now.byBucket().size() > 1
                || !then.byBucket().keySet().equals(now.byBucket().keySet());
    }
}
