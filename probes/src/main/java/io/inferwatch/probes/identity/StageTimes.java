package io.inferwatch.probes.identity;

import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Times of stages and results of guardrails as headers told them.
 *
 * @param micros of each stage that was told, microseconds
 */
public record StageTimes(Map<Stage, Long> micros, List<Guardrail> guardrails) {
    private static final String BYPASS = "bypass";

    /** One in a sidecar makes the request's mode that. */
    private static final List<String> MODES = List.of("sidecar", "inline");

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
            sum(all, event);
        }
    }

    /** What the windows take of guardrails, who cannot read lists. */
    private static void sum(List<Guardrail> all, RequestEvent event) {
        event.setGuardrailChecks(all.size());
        event.setGuardrailBypasses((int) all.stream()
                .filter(guardrail -> BYPASS.equals(guardrail.getVerdict()))
                .count());
        List<Long> times = all.stream()
                .map(Guardrail::getDurationMicros)
                .filter(Objects::nonNull)
                .toList();
        event.setGuardrailMicros(
                times.isEmpty()
                        ? null
                        : Long.valueOf(times.stream().mapToLong(Long::longValue).sum()));
        event.setGuardrailMode(MODES.stream()
                .filter(mode -> all.stream().anyMatch(guardrail -> mode.equals(guardrail.getPhase())))
                .findFirst()
                .orElse(null));
    }
}
