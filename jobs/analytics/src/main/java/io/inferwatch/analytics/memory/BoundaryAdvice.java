package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Other boundaries than the current ones, and whether they are worth it. The last boundary stays, since the engine's limit is no matter of
 * padding. The tail cannot dominate: what is above the quantile {@value #BODY} has the last bucket to itself and no say in where the others
 * are, nor in what they save. Savings are a share of the padding that current boundaries take.
 *
 * <p>Whether savings last is not asked of the windows that they were found in: for each window, boundaries are found from the others and
 * tried on it, and the least saving of these is what can be expected of a day to come. Windows with fewer than {@value #MIN_LENGTHS} lengths say
 * little of that: they are not tried on.
 *
 * @param optimal found from all windows together
 * @param windows that were tried on
 * @param currentShare padding of what is taken with it, under the current boundaries; like the other shares of the body of all windows
 * @param optimalShare the same under the optimal ones
 * @param geometricShare the same with as many boundaries at equal ratios
 * @param uniformShare the same with as many boundaries at equal distances
 * @param saving of the optimal ones
 * @param leastSaving on a window of boundaries from the others; empty where none was tried on
 */
public record BoundaryAdvice(
        Boundaries optimal,
        int windows,
        Estimated currentShare,
        Estimated optimalShare,
        Estimated geometricShare,
        Estimated uniformShare,
        double saving,
        OptionalDouble leastSaving) {
    /** The quantile up to which lengths decide. */
    public static final double BODY = 0.99;

    /** What must be saved, on all windows and on each. */
    public static final double MIN_SAVING = 0.2;

    /** Windows that it must be saved in, of days for choice. */
    public static final int MIN_WINDOWS = 3;

    /** Lengths of a window that is tried on. */
    public static final int MIN_LENGTHS = 1_000;

    /** Whether to change the boundaries. */
    public boolean isRecommended() {
        return windows >= MIN_WINDOWS && saving > MIN_SAVING && leastSaving.orElse(0) > MIN_SAVING;
    }

    /**
     * The advice from windows of lengths.
     *
     * @param current in use
     * @param count how many boundaries there may be, the last among them; at least 2
     * @return empty where no window holds lengths below the limit
     */
    public static Optional<BoundaryAdvice> of(List<QuantileSketch> windows, Boundaries current, int count) {
        Amounts.requireAtLeast(2, "count", count);
        long limit = current.limit();
        LengthHistogram all = LengthHistogram.of(merged(windows)).upTo(limit);
        if (all.n() == 0) {
            return Optional.empty();
        }
        long cap = all.quantile(BODY);
        LengthHistogram body = all.upTo(cap);
        Boundaries optimal = closed(OptimalBoundaries.of(body, count - 1), cap, limit);
        int tried = 0;
        OptionalDouble leastSaving = OptionalDouble.empty();
        for (QuantileSketch window : windows) {
            List<QuantileSketch> others = new ArrayList<>(windows);
            others.remove(window);
            LengthHistogram known = LengthHistogram.of(merged(others)).upTo(cap);
            LengthHistogram lengths = LengthHistogram.of(window).upTo(cap);
            if (known.n() > 0 && lengths.n() >= MIN_LENGTHS) {
                Boundaries found = closed(OptimalBoundaries.of(known, count - 1), cap, limit);
                double saving = saving(current, found, lengths);
                leastSaving = OptionalDouble.of(Math.min(saving, leastSaving.orElse(saving)));
                tried++;
            }
        }
        return Optional.of(new BoundaryAdvice(
                optimal,
                tried,
                current.padding(body).share(),
                optimal.padding(body).share(),
                Boundaries.geometric(body.least(), cap, count - 1).padding(body).share(),
                Boundaries.uniform(body.least(), cap, count - 1).padding(body).share(),
                saving(current, optimal, body),
                leastSaving));
    }

    /** Boundaries of the body with their end moved to where it ends in all windows, and the tail's behind them. */
    private static Boundaries closed(Boundaries found, long cap, long limit) {
        List<Long> sizes = new ArrayList<>(found.sizes());
        sizes.set(sizes.size() - 1, cap);
        if (limit > cap) {
            sizes.add(limit);
        }
        return new Boundaries(sizes);
    }

    private static double saving(Boundaries current, Boundaries other, LengthHistogram lengths) {
        double wasted = current.padding(lengths).wastedTokens();
        return wasted > 0 ? 1 - other.padding(lengths).wastedTokens() / wasted : 0;
    }

    private static QuantileSketch merged(List<QuantileSketch> windows) {
        QuantileSketch merged = new QuantileSketch();
        windows.forEach(merged::merge);
        return merged;
    }
}
