package io.inferwatch.probes.identity;

import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Times of stages and results of guardrails as headers told them.
 *
 * @param micros of each stage that was told, microseconds
 */
public record StageTimes(Map<Stage, Long> micros, List<Guardrail> guardrails) {
    /** Unmodifiable. */
    public StageTimes {
        micros = Map.copyOf(micros);
        guardrails = List.copyOf(guardrails);
    }

    /** Adds these to an event; a stage that it knows already keeps its time. */
    public void fill(RequestEvent event) {
        micros.forEach((stage, time) -> stage.fill(event, time));
        if (!guardrails.isEmpty()) {
            List<Guardrail> all = new ArrayList<>(event.getGuardrails() == null ? List.of() : event.getGuardrails());
            all.addAll(guardrails);
            event.setGuardrails(all);
        }
    }
}
