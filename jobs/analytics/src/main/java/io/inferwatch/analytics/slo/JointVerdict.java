package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Throughput, latency and a sliding quantile judged together, load step by load step. A window belongs to the step in which it lies
 * wholly: none mixes two loads, so that each step's first reading comes one window after its start. A request that failed is slower
 * than any other.
 *
 * @param steps in the order in which they were given
 * @param passedPerSecond the greatest load of those that no smaller load failed at: up to it requests may be admitted; empty where
 *     the smallest one failed already
 * @param failedPerSecond the smallest load at which the limit was exceeded; empty where it never was
 */
public record JointVerdict(List<StepVerdict> steps, OptionalDouble passedPerSecond, OptionalDouble failedPerSecond) {
    private static final double CONFIDENCE = 0.95;

    /** A verdict with an unmodifiable list. */
    public JointVerdict {
        steps = List.copyOf(steps);
    }

    /**
     * Judges steps.
     *
     * @param panes of the limit's length, each ending at a multiple of it; in any order, none twice. A second without one had no requests
     */
    public static JointVerdict of(LoadLimit limit, List<LoadStep> steps, List<LoadPane> panes) {
        TreeMap<Long, LoadPane> byEnd = new TreeMap<>();
        for (LoadPane pane : panes) {
            if (pane.endMicros() % limit.paneMicros() != 0 || byEnd.put(pane.endMicros(), pane) != null) {
                throw new IllegalArgumentException("panes: must end at different multiples of " + limit.pane()
                        + ", found one that ends at " + pane.endMicros());
            }
        }
        List<StepVerdict> verdicts =
                steps.stream().map(step -> judge(limit, step, byEnd)).toList();
        OptionalDouble failed = verdicts.stream()
                .filter(verdict -> verdict.exceededMicros() > 0)
                .mapToDouble(verdict -> verdict.step().perSecond())
                .min();
        OptionalDouble passed = verdicts.stream()
                .filter(verdict -> verdict.verdict() == LoadVerdict.PASS)
                .mapToDouble(verdict -> verdict.step().perSecond())
                .filter(load -> failed.isEmpty() || load < failed.getAsDouble())
                .max();
        return new JointVerdict(verdicts, passed, failed);
    }

    /** Whether requests beyond {@link #passedPerSecond} are better turned away. */
    public boolean recommendsCircuitBreaker() {
        return steps.stream().anyMatch(step -> step.verdict() == LoadVerdict.CIRCUIT_BREAKER);
    }

    private static StepVerdict judge(LoadLimit limit, LoadStep step, NavigableMap<Long, LoadPane> byEnd) {
        long pane = limit.paneMicros();
        // A pane that reaches into another step belongs to none.
        long firstEnd = -Math.floorDiv(-step.startMicros(), pane) * pane + pane;
        long lastEnd = Math.floorDiv(step.endMicros(), pane) * pane;
        Total whole = new Total();
        if (lastEnd >= firstEnd) {
            byEnd.subMap(firstEnd, true, lastEnd, true).values().forEach(whole::add);
        }
        List<SlidingReading> readings = readings(limit, firstEnd, lastEnd, byEnd);
        Run exceeded = Run.of(readings, (double) limit.limitMicros());
        Run far = Run.of(readings, limit.breakerFactor() * limit.limitMicros());
        LoadVerdict verdict;
        if (readings.stream().allMatch(reading -> reading.micros().isEmpty())) {
            verdict = LoadVerdict.NOT_ESTIMABLE;
        } else if (exceeded.all() == 0) {
            verdict = LoadVerdict.PASS;
        } else if (step.perSecond() < limit.leastPerSecond()) {
            verdict = LoadVerdict.BELOW_LOAD;
        } else {
            verdict = far.longest() >= limit.readingsToBreaker() ? LoadVerdict.CIRCUIT_BREAKER : LoadVerdict.BREACH;
        }
        OptionalDouble micros = whole.quantile(limit);
        return new StepVerdict(
                step,
                whole.requests,
                whole.failed,
                lastEnd < firstEnd
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(whole.requests * 1e6 / (lastEnd - firstEnd + pane)),
                micros,
                whole.failed == 0
                        ? QuantileInterval.of(whole.latencies, limit.quantile(), CONFIDENCE)
                        : Optional.empty(),
                readings.stream()
                        .map(SlidingReading::micros)
                        .filter(OptionalDouble::isPresent)
                        .mapToDouble(OptionalDouble::getAsDouble)
                        .max(),
                exceeded.all() * pane,
                exceeded.longest() * pane,
                verdict,
                readings);
    }

    private static List<SlidingReading> readings(
            LoadLimit limit, long firstEnd, long lastEnd, NavigableMap<Long, LoadPane> byEnd) {
        List<SlidingReading> readings = new ArrayList<>();
        long reach = (limit.panesOfWindow() - 1) * limit.paneMicros();
        for (long end = firstEnd + reach; end <= lastEnd; end += limit.paneMicros()) {
            Total window = new Total();
            byEnd.subMap(end - reach, true, end, true).values().forEach(window::add);
            readings.add(new SlidingReading(end, window.n(), window.quantile(limit)));
        }
        return readings;
    }

    /** Panes together. */
    private static final class Total {
        private final QuantileSketch latencies = new QuantileSketch();
        private long requests;
        private long failed;

        void add(LoadPane pane) {
            latencies.merge(pane.latenciesMicros());
            requests += pane.requests();
            failed += pane.failed();
        }

        long n() {
            return latencies.n() + failed;
        }

        OptionalDouble quantile(LoadLimit limit) {
            if (n() < limit.minimumN()) {
                return OptionalDouble.empty();
            }
            long rank = Math.max(1, (long) Math.ceil(limit.quantile() * n() * (1 - 1e-12)));
            return OptionalDouble.of(rank > latencies.n() ? Double.POSITIVE_INFINITY : latencies.atRank(rank));
        }
    }

    /**
     * Readings above a limit.
     *
     * @param all how many
     * @param longest how many of them without a break
     */
    private record Run(int all, int longest) {
        static Run of(List<SlidingReading> readings, double limitMicros) {
            int all = 0;
            int longest = 0;
            int current = 0;
            for (SlidingReading reading : readings) {
                current = reading.exceeds(limitMicros) ? current + 1 : 0;
                all += current > 0 ? 1 : 0;
                longest = Math.max(longest, current);
            }
            return new Run(all, longest);
        }
    }
}
