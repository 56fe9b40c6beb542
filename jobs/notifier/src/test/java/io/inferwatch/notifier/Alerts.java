package io.inferwatch.notifier;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.Severity;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Alerts as the jobs write them. */
final class Alerts {
    static final Instant START = Instant.parse("2026-11-30T12:00:00Z");

    private Alerts() {}

    static Alert alert(
            String name, AlertState state, Severity severity, Instant changedAt, Map<String, String> labels) {
        boolean isOver = state == AlertState.RESOLVED || state == AlertState.EXPIRED;
        return new Alert(
                name + ":" + labels.getOrDefault("slo", ""),
                name,
                state,
                severity,
                micros(START),
                micros(changedAt),
                isOver ? Long.valueOf(micros(changedAt)) : null,
                labels,
                "summary of " + name,
                List.of(new Evidence("burn", 17.25, 14.4, "over an hour")),
                List.of("queue (0.52)"));
    }

    static Alert firing(String name, String slo) {
        return alert(name, AlertState.FIRING, Severity.PAGE, START, Map.of("slo", slo));
    }

    static Alert resolved(String name, String slo, Instant at) {
        return alert(name, AlertState.RESOLVED, Severity.PAGE, at, Map.of("slo", slo));
    }

    static Alert watchdog(Instant at) {
        return alert(AlertBook.WATCHDOG, AlertState.FIRING, Severity.TICKET, at, Map.of());
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
