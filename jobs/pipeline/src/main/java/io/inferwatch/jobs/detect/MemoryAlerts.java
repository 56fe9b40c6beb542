package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Severity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Alerts of memory, with the figures behind them. Not thread safe. */
final class MemoryAlerts {
    private final EventCodec codec = new EventCodec();

    /**
     * The record of a risk that has lasted, or is over.
     *
     * @param sinceMicros when it began
     * @param changedAtMicros end of the minute that decided
     */
    OutboundRecord record(MemoryRisk risk, long sinceMicros, long changedAtMicros, boolean isOpen) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("view", risk.view());
        risk.labels().forEach(dimension -> labels.put(dimension.getName(), dimension.getValue()));
        String who = risk.labels().stream()
                .filter(dimension -> !dimension.getValue().equals("none"))
                .map(dimension -> dimension.getName() + ' ' + dimension.getValue())
                .collect(Collectors.joining(", "));
        String fingerprint = risk.alert() + ':' + risk.subject();
        Alert alert = new Alert(
                fingerprint,
                risk.alert(),
                isOpen ? AlertState.FIRING : AlertState.RESOLVED,
                Severity.TICKET,
                sinceMicros,
                changedAtMicros,
                isOpen ? null : Long.valueOf(changedAtMicros),
                labels,
                who + (isOpen ? ": " : " is out of danger: ") + risk.reason(),
                risk.evidence(),
                List.of());
        return record(alert);
    }

    /** The record of an alert whose subject has fallen silent. */
    OutboundRecord expired(String name, String subject, long sinceMicros, long atMicros) {
        return record(new Alert(
                name + ':' + subject,
                name,
                AlertState.EXPIRED,
                Severity.TICKET,
                sinceMicros,
                atMicros,
                atMicros,
                Map.of(),
                subject + " has told nothing of its memory since",
                List.of(),
                List.of()));
    }

    private OutboundRecord record(Alert alert) {
        return new OutboundRecord(
                alert.getFingerprint().getBytes(StandardCharsets.UTF_8),
                codec.encode(alert),
                alert.getChangedAtMicros() / 1_000);
    }
}
