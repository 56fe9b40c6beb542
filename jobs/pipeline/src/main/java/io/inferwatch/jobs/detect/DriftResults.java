package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Finding;
import io.inferwatch.analytics.drift.Judged;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.mix.Decomposition;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.ChangeScale;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.MixChange;
import io.inferwatch.schemas.MixShare;
import io.inferwatch.schemas.QuantilePair;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.WindowStat;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Verdicts as records, in base units. Not thread safe. */
final class DriftResults {
    private static final double[] QUANTILES = {0.5, 0.9, 0.95, 0.99};

    private final EventCodec codec = new EventCodec();

    /** The verdict on a group, whose windows all look like this one but for the traffic's kind. */
    Candidate candidate(WindowStat window, WatchedStatistic watched, Judged judged, boolean isRebased) {
        Judgement adjusted = judged.adjusted() == null
                ? null
                : judgement(judged.adjusted(), judged.current(), judged.baseline(), watched, true);
        DriftResult result = new DriftResult(
                window.getSeries(),
                window.getView(),
                window.getDimensions(),
                watched.watch().metric(),
                watched.watch().statistic().label(),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                judged.windows(),
                judged.units(),
                judged.isByHourClass() ? "hour-class" : "recent",
                judgement(judged.raw(), judged.current(), judged.baseline(), watched, false),
                adjusted,
                mix(judged, watched),
                quantiles(judged, watched),
                false,
                null,
                isRebased);
        Comparison server = judged.server().comparison();
        return new Candidate(
                window.getView() + ' ' + watched.watch() + ' ' + window.getWindowEndMicros(),
                window.getSeries() + ' ' + watched.watch(),
                window.getWindowEndMicros() / 1_000,
                server instanceof Measured measured ? measured.p() : Candidate.UNTESTED,
                codec.encode(result));
    }

    /**
     * A finding as a record.
     *
     * @param isAdjusted whether the current value is what the change makes of the baseline's, instead of the sample's own
     */
    static Judgement judgement(
            Finding finding, Sample current, Sample baseline, WatchedStatistic watched, boolean isAdjusted) {
        Double before = scaled(watched.statistic().value(baseline), watched);
        Double now = scaled(watched.statistic().value(current), watched);
        Comparison comparison = finding.comparison();
        if (!(comparison instanceof Measured measured)) {
            return new Judgement(
                    Verdict.NOT_ESTIMABLE,
                    scale(watched.statistic().scale()),
                    isAdjusted ? null : now,
                    before,
                    null,
                    null,
                    null,
                    null,
                    null,
                    comparison.currentN(),
                    comparison.baselineN(),
                    null,
                    null,
                    finding.rule().threshold());
        }
        return new Judgement(
                Verdict.valueOf(finding.verdict().name()),
                scale(measured.scale()),
                isAdjusted && before != null ? Double.valueOf(before * (1 + measured.change())) : now,
                before,
                measured.change(),
                measured.low(),
                finite(measured.high()),
                measured.p(),
                null,
                measured.currentN(),
                measured.baselineN(),
                boxed(finding.minimumDetectableEffect()),
                boxed(finding.provableChange()),
                finding.rule().threshold());
    }

    private static ChangeScale scale(Comparison.Scale scale) {
        return ChangeScale.valueOf(scale.name());
    }

    private static @Nullable MixChange mix(Judged judged, WatchedStatistic watched) {
        Decomposition parts = judged.parts();
        Decomposition mean = judged.meanParts();
        if (parts == null
                || mean == null
                || !(judged.baseline() instanceof Values before)
                || !(judged.current() instanceof Values now)) {
            return null;
        }
        TreeSet<String> buckets = new TreeSet<>(before.byBucket().keySet());
        buckets.addAll(now.byBucket().keySet());
        List<MixShare> shares = new ArrayList<>();
        for (String bucket : buckets) {
            shares.add(new MixShare(bucket, share(before, bucket), share(now, bucket)));
        }
        double scale = watched.scale();
        return new MixChange(
                parts.total() * scale,
                parts.rate() * scale,
                parts.mix() * scale,
                mean.total() * scale,
                mean.rate() * scale,
                mean.mix() * scale,
                judged.covered(),
                shares);
    }

    private static double share(Values values, String bucket) {
        QuantileSketch sketch = values.byBucket().get(bucket);
        return sketch == null ? 0 : (double) sketch.n() / values.n();
    }

    private static List<QuantilePair> quantiles(Judged judged, WatchedStatistic watched) {
        if (!(judged.baseline() instanceof Values before) || !(judged.current() instanceof Values now)) {
            return List.of();
        }
        QuantileSketch then = before.total();
        QuantileSketch here = now.total();
        List<QuantilePair> pairs = new ArrayList<>();
        if (then.n() > 0 && here.n() > 0) {
            for (double q : QUANTILES) {
                pairs.add(new QuantilePair(q, then.quantile(q) * watched.scale(), here.quantile(q) * watched.scale()));
            }
        }
        return pairs;
    }

    private static @Nullable Double scaled(OptionalDouble value, WatchedStatistic watched) {
        return value.isEmpty() ? null : Double.valueOf(value.getAsDouble() * watched.scale());
    }

    private static @Nullable Double boxed(OptionalDouble value) {
        return value.isEmpty() ? null : finite(value.getAsDouble());
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? Double.valueOf(value) : null;
    }
}
