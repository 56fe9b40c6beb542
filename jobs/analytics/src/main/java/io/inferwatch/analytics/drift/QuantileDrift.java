package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Drift of a quantile against a baseline, by the test within windows ({@link QuantileComparison}) and that between them
 * ({@link PredictionInterval}).
 *
 * @param quantile above 0 and below 1, e.g. 0.99
 * @param designEffect how many requests tell as much as one independent one; what is below counts as 1
 * @param rule when a change counts
 */
public record QuantileDrift(double quantile, double designEffect, DriftRule rule) {

    /**
     * What a window is compared with.
     *
     * @param pooled all values of the past windows
     * @param limits confidence limits of their quantile; null where they are too few
     * @param past the logarithms of the quantile in past windows; null where they are too few
     */
    public record Baseline(
            EffectiveSample pooled,
            @Nullable QuantileInterval limits,
            @Nullable PastWindows past) {}

    /** The baseline that past windows make. A window below the least n for limits, or whose quantile is zero, counts in the pool alone. */
    public Baseline baseline(List<QuantileSketch> windows) {
        QuantileSketch pooled = new QuantileSketch();
        windows.forEach(pooled::merge);
        long least = QuantileInterval.minimumN(quantile, rule.confidence());
        List<Double> logs = windows.stream()
                .filter(window -> window.n() >= least)
                .mapToDouble(window -> window.quantile(quantile))
                .filter(value -> value > 0)
                .map(Math::log)
                .boxed()
                .toList();
        return baseline(pooled, logs);
    }

    /**
     * A baseline of which this is all that was kept: one sketch and a number for each past window.
     *
     * @param pooled all values of the past windows
     * @param logQuantiles the logarithm of the quantile of each past window that could be measured
     */
    public Baseline baseline(QuantileSketch pooled, List<Double> logQuantiles) {
        EffectiveSample sample = EffectiveSample.of(pooled).correlated(designEffect);
        return new Baseline(
                sample,
                sample.interval(quantile, rule.confidence()).orElse(null),
                PastWindows.of(Scale.RELATIVE, logQuantiles, rule).orElse(null));
    }

    /** Judges one window. */
    public Finding of(Baseline baseline, QuantileSketch window) {
        return of(baseline, EffectiveSample.of(window).correlated(designEffect), 1);
    }

    /**
     * Judges the latest window, and, while nothing can be said, more of those before it at once: the last 1, 2, 4, 8 ... of them, as far
     * back as traffic has not changed abruptly ({@link Burst}), until the verdict is DRIFT or NO_DRIFT or there are no more. Looking
     * again takes more chances of a false alarm, so each look has half the chance of that before it, the first half of alpha: p is
     * multiplied by 2, 4, 8 ... and all looks together keep within alpha. Unions that are too small to be tested take no chance.
     *
     * @param windows of equal length, following each other, the latest last; at least one
     */
    public United ofUnited(Baseline baseline, List<QuantileSketch> windows) {
        if (windows.isEmpty()) {
            throw new IllegalArgumentException("windows: must be at least one, found none");
        }
        int start =
                Burst.lastStart(windows.stream().mapToLong(QuantileSketch::n).toArray());
        int most = windows.size() - start;
        QuantileSketch union = new QuantileSketch();
        int united = 0;
        int looks = 0;
        while (true) {
            int next = Math.min(Math.max(1, 2 * united), most);
            for (; united < next; united++) {
                union.merge(windows.get(windows.size() - 1 - united));
            }
            Finding finding = of(baseline, EffectiveSample.of(union).correlated(designEffect), 2 << looks);
            if (finding.verdict() != Verdict.NOT_ESTIMABLE) {
                looks++;
            }
            if (finding.verdict() == Verdict.DRIFT || finding.verdict() == Verdict.NO_DRIFT || united == most) {
                return new United(finding, united);
            }
        }
    }

    /**
     * A verdict on several windows at once.
     *
     * @param windows how many, the latest ones
     */
    public record United(Finding finding, int windows) {}

    private Finding of(Baseline baseline, EffectiveSample sample, int times) {
        Comparison comparison = QuantileComparison.of(baseline.pooled, baseline.limits, sample, quantile, rule);
        if (!(comparison instanceof Measured measured)) {
            return Finding.of(comparison, null, rule);
        }
        PastWindows past = baseline.past;
        return Finding.of(
                measured.looked(times), past == null ? null : past.place(Math.log(sample.quantile(quantile))), rule);
    }
}
