package io.inferwatch.probes.load;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.slo.JointVerdict;
import io.inferwatch.analytics.slo.LoadPane;
import io.inferwatch.analytics.slo.LoadStep;
import io.inferwatch.analytics.slo.LoadVerdict;
import io.inferwatch.analytics.slo.StepVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * A step of the load and the verdict on it, by the mathematics of {@link JointVerdict}: requests count in the second in which they were due, seconds are counted from the step's first request, and the last one is a whole one.
 *
 * @param number from 1
 * @param askedRate requests a second
 * @param beginAtMicros of the first request that was due in it
 * @param seconds from there to the last one's time
 * @param judged empty where the load was cut off before
 */
record StepResult(int number, double askedRate, long beginAtMicros, double seconds, Optional<StepVerdict> judged) {
    private static final long SECOND = 1_000_000;

    /**
     * The verdict on a step.
     *
     * @param all that belong to it, in any order
     */
    static StepResult of(int number, double askedRate, List<FinishedRequest> all, StepRule rule) {
        if (all.isEmpty()) {
            return new StepResult(number, askedRate, 0, 0, Optional.empty());
        }
        long begin = all.stream().mapToLong(FinishedRequest::dueAtMicros).min().orElseThrow();
        long end = all.stream().mapToLong(FinishedRequest::dueAtMicros).max().orElseThrow() + 1;
        int panes = (int) ((end - begin + SECOND - 1) / SECOND);
        LoadStep step = new LoadStep(askedRate, 0, panes * SECOND);
        StepVerdict verdict = JointVerdict.of(rule.limit(panes), List.of(step), panes(all, begin, panes, rule))
                .steps()
                .get(0);
        return new StepResult(number, askedRate, begin, (end - begin) / (double) SECOND, Optional.of(verdict));
    }

    private static List<LoadPane> panes(List<FinishedRequest> all, long begin, int count, StepRule rule) {
        long[] requests = new long[count];
        long[] failed = new long[count];
        QuantileSketch[] latencies =
                Stream.generate(QuantileSketch::new).limit(count).toArray(QuantileSketch[]::new);
        for (FinishedRequest request : all) {
            int pane = (int) ((request.dueAtMicros() - begin) / SECOND);
            Long micros = request.isGood() ? rule.latency().micros(request) : null;
            requests[pane]++;
            if (micros == null) {
                failed[pane]++;
            } else {
                latencies[pane].add(Math.max(0, micros));
            }
        }
        List<LoadPane> panes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            panes.add(new LoadPane((i + 1) * SECOND, requests[i], failed[i], latencies[i]));
        }
        return panes;
    }

    /** Whether any of it was sent. */
    boolean isRun() {
        return judged.isPresent();
    }

    /** Whether it went over its limit. */
    boolean isOver() {
        return judged.filter(verdict ->
                        verdict.verdict() == LoadVerdict.BREACH || verdict.verdict() == LoadVerdict.CIRCUIT_BREAKER)
                .isPresent();
    }

    long requests() {
        return judged.map(StepVerdict::requests).orElse(0L);
    }

    long failed() {
        return judged.map(StepVerdict::failed).orElse(0L);
    }

    /** Requests a second that were due. */
    double rate() {
        return requests() / Math.max(1, seconds);
    }

    /** P99 of the worst window: infinite where more than one in a hundred failed, empty where no window has requests enough. */
    OptionalDouble p99Micros() {
        return judged.map(StepVerdict::worstMicros).orElse(OptionalDouble.empty());
    }

    /** The same where it is a number. */
    Optional<Double> knownP99Micros() {
        OptionalDouble micros = p99Micros();
        return micros.isPresent() && Double.isFinite(micros.getAsDouble())
                ? Optional.of(micros.getAsDouble())
                : Optional.empty();
    }

    /** The verdict in one word: that of {@link LoadVerdict}, or not-run. */
    String label() {
        return judged.map(verdict ->
                        verdict.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .orElse("not-run");
    }
}
