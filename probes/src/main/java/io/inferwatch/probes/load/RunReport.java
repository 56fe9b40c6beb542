package io.inferwatch.probes.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a run that is over.
 *
 * @param options as they were given, secrets left out
 * @param iterations how often the load was repeated
 * @param unsent planned requests that a stop left unsent
 * @param stopReason null when it ran to its end
 * @param maxLagMicros P99 of the lag up to which a run is valid
 */
record RunReport(
        String run,
        Map<String, String> options,
        long beginAtMicros,
        long endAtMicros,
        SelfTest selfTest,
        int iterations,
        long warmUps,
        long unsent,
        @Nullable String stopReason,
        long maxLagMicros,
        List<FinishedRequest> requests,
        List<StepResult> steps,
        Environment environment) {
    private static final double STABLE = 0.05;
    private static final double LAG_OF_TTFT = 0.05;

    RunReport {
        options = Map.copyOf(options);
        requests = List.copyOf(requests);
        steps = List.copyOf(steps);
    }

    RunSummary summary() {
        return RunSummary.of(requests);
    }

    /** A summary for each iteration. */
    List<RunSummary> byIteration() {
        return IntStream.rangeClosed(1, iterations)
                .mapToObj(phase -> RunSummary.of(requests.stream()
                        .filter(request -> request.phase() == phase)
                        .toList()))
                .toList();
    }

    /** Why its figures are not to be used; empty when they are. */
    List<String> invalidity() {
        List<String> reasons = new ArrayList<>();
        Distribution lag = RequestMetric.LAG.of(requests);
        if (lag.isEmpty()) {
            reasons.add("no request ended");
        } else if (lag.quantile(0.99) > maxLagMicros) {
            reasons.add("lag: must be at most %.1f ms at P99, found %.1f ms"
                    .formatted(maxLagMicros / 1e3, lag.quantile(0.99) / 1e3));
        }
        return reasons;
    }

    boolean isValid() {
        return invalidity().isEmpty();
    }

    /** What is worth knowing of figures that may be used. */
    List<String> cautions() {
        List<String> cautions = new ArrayList<>();
        Distribution lag = RequestMetric.LAG.of(requests);
        Distribution ttft = RequestMetric.SENT_TTFT.of(requests);
        if (!lag.isEmpty() && !ttft.isEmpty()) {
            if (lag.quantile(0.99) > LAG_OF_TTFT * ttft.quantile(0.5)) {
                cautions.add("lag P99 is %.0f %% of the median TTFT"
                        .formatted(100 * lag.quantile(0.99) / ttft.quantile(0.5)));
            }
            if (!selfTest.ttftMicros().isEmpty()
                    && selfTest.ttftMicros().quantile(0.5) > LAG_OF_TTFT * ttft.quantile(0.5)) {
                cautions.add("the generator's own floor is %.0f %% of the median TTFT"
                        .formatted(100 * selfTest.ttftMicros().quantile(0.5) / ttft.quantile(0.5)));
            }
        }
        if (iterations > 1 && !isStable()) {
            cautions.add("iterations differ by more than 5 % of their mean throughput");
        }
        return cautions;
    }

    /** Whether throughput varied by at most 5 % from iteration to iteration. */
    boolean isStable() {
        double[] rates =
                byIteration().stream().mapToDouble(RunSummary::totalRate).toArray();
        return rates.length > 1 && RunSummary.Repeated.of(rates).variation() <= STABLE;
    }

    /** Whether a step went over its limit. */
    boolean isBreached() {
        return steps.stream().anyMatch(StepResult::isOver);
    }
}
