package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.slo.BudgetPeriod;
import io.inferwatch.analytics.slo.BurnCondition;
import io.inferwatch.analytics.slo.Counting;
import io.inferwatch.analytics.slo.Objective;
import io.inferwatch.analytics.slo.Tally;
import io.inferwatch.analytics.slo.Threshold;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.slo.BurnSpec;
import io.inferwatch.schemas.slo.Indicator;
import io.inferwatch.schemas.slo.SloSpec;
import io.inferwatch.schemas.slo.TimeWindow;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An objective as its owner wrote it, and as windows are counted for it: at the edge of a bucket that is nearest to its limit, so that good and bad are
 * exact. Immutable.
 *
 * @param threshold where values are counted; empty of a ratio
 */
record Promise(SloSpec spec, Objective objective, Optional<Threshold> threshold) {
    private static final String COMPLETED = "completed";
    private static final String FAILED = "failed";

    static Promise of(SloSpec spec) {
        BudgetPeriod period = period(spec.window());
        return new Promise(
                spec, new Objective(spec.target(), counting(spec), period, conditions(spec, period)), threshold(spec));
    }

    private static BudgetPeriod period(TimeWindow window) {
        if (window instanceof TimeWindow.Rolling rolling) {
            return new BudgetPeriod.Rolling(rolling.length());
        }
        TimeWindow.Calendar calendar = (TimeWindow.Calendar) window;
        return new BudgetPeriod.Calendar(calendar.anchor(), calendar.zone(), calendar.length(), calendar.unit());
    }

    private static Counting counting(SloSpec spec) {
        return spec.timeslices()
                .<Counting>map(
                        slices -> new Counting.Timeslices(slices.length(), slices.target(), spec.leastPerSecond()))
                .orElseGet(() -> new Counting.Occurrences(spec.leastPerSecond()));
    }

    /** Those that were written, or the usual ones that a total outage can meet. */
    private static List<BurnCondition> conditions(SloSpec spec, BudgetPeriod period) {
        return spec.burns()
                .map(burns -> burns.stream()
                        .map(burn -> new BurnCondition(
                                burn.name(),
                                burn.severity() == Severity.PAGE ? BurnCondition.Tier.PAGE : BurnCondition.Tier.TICKET,
                                burn.factor(),
                                burn.longWindow(),
                                burn.shortWindow(),
                                burn.alertAfter()))
                        .toList())
                .orElseGet(() -> BurnCondition.standard(period.longest()).stream()
                        .filter(condition -> condition.isReachable(spec.target()))
                        .toList());
    }

    private static Optional<Threshold> threshold(SloSpec spec) {
        return spec.indicator() instanceof Indicator.Values values
                ? Optional.of(values.isUpper() ? Threshold.atMost(values.limit()) : Threshold.atLeast(values.limit()))
                : Optional.empty();
    }

    String name() {
        return spec.name();
    }

    /** Whether the window is of a series that it is promised for. */
    boolean isOf(WindowStat window) {
        return window.getView().equals(spec.view())
                && spec.where().entrySet().stream().allMatch(of -> has(window, of.getKey(), of.getValue()));
    }

    private static boolean has(WindowStat window, String dimension, String value) {
        for (Dimension one : window.getDimensions()) {
            if (one.getName().equals(dimension)) {
                return one.getValue().equals(value);
            }
        }
        return false;
    }

    /** What of windows is counted. */
    Set<String> metrics() {
        return spec.indicator() instanceof Indicator.Values values
                ? Set.of(values.metric(), COMPLETED, FAILED)
                // Both may be one and the same.
                : new HashSet<>(List.of(
                        ((Indicator.Share) spec.indicator()).part(), ((Indicator.Share) spec.indicator()).total()));
    }

    /** How many of a window's requests were good. */
    Tally count(WindowReading window) {
        if (spec.indicator() instanceof Indicator.Values values) {
            long completed = window.sum(COMPLETED);
            long failed = window.sum(FAILED);
            return window.distribution(values.metric())
                    .map(distribution -> threshold.orElseThrow().countRequests(distribution, completed, failed))
                    .orElseGet(() -> new Tally(0, failed));
        }
        Indicator.Share share = (Indicator.Share) spec.indicator();
        long total = window.sum(share.total());
        // Sums of different metrics need not be parts of each other.
        long part = Math.max(0, Math.min(total, window.sum(share.part())));
        return new Tally(share.isGood() ? part : total - part, total);
    }

    /** What decides how windows count: a history goes on under another target and other conditions, but not under another one of these. */
    String countedBy() {
        return spec.indicator() + " " + spec.view() + " " + objective.counting() + " " + objective.period();
    }

    /** What its owner wrote of a condition; empty where it is one of the usual ones. */
    Optional<BurnSpec> burn(String condition) {
        return spec.burns().stream()
                .flatMap(List::stream)
                .filter(burn -> burn.name().equals(condition))
                .findFirst();
    }

    /** Who is to hear when nothing is known any more; empty where nobody asked to. */
    Optional<Severity> whenNoData() {
        List<BurnSpec> asked = spec.burns().stream()
                .flatMap(List::stream)
                .filter(BurnSpec::whenNoData)
                .toList();
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                asked.stream().anyMatch(burn -> burn.severity() == Severity.PAGE) ? Severity.PAGE : Severity.TICKET);
    }
}
