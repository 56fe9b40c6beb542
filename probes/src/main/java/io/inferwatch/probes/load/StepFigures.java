package io.inferwatch.probes.load;

import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Verdicts on the steps of a load as records of the results' topic, from where they reach InfluxDB beside the run's windows: measurement {@code load_step}, tags run and step. */
final class StepFigures {
    /** Kind of these figures. */
    static final String KIND = "load_step";

    private static final String VIEW = "run";
    private static final long SECOND_MICROS = 1_000_000;

    private StepFigures() {}

    /** The record; its window is the step's time. */
    static FigureResult of(String run, StepResult step, StepRule rule) {
        Map<String, Long> counts = new HashMap<>();
        counts.put("n", step.requests());
        counts.put("failed", step.failed());
        Map<String, Double> values = new HashMap<>();
        values.put("asked_per_second", step.askedRate());
        values.put("due_per_second", step.rate());
        values.put("limit_seconds", rule.limitMicros() / 1e6);
        values.put("breaker_seconds", rule.breakerMicros() / 1e6);
        step.knownP99Micros().ifPresent(micros -> {
            values.put("p99_seconds", micros / 1e6);
            values.put("over_limit_seconds", (micros - rule.limitMicros()) / 1e6);
        });
        long windowMicros = Math.max(SECOND_MICROS, Math.round(step.seconds() * SECOND_MICROS));
        return new FigureResult(
                KIND,
                VIEW,
                List.of(new Dimension("run", run), new Dimension("step", Integer.toString(step.number()))),
                windowMicros,
                step.beginAtMicros() + windowMicros,
                counts,
                values,
                Map.of("verdict", step.label()));
    }
}
