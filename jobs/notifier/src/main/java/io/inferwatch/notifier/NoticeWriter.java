package io.inferwatch.notifier;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.Evidence;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Makes notices of alerts. Labels are the alert's, its name as {@code alertname} and its severity; what changes while it fires is an annotation, so that
 * an alert stays the same one.
 *
 * @param dashboards base address of Grafana or of the local page; empty for none
 * @param runbooks base address of the runbook pages; empty for none
 */
record NoticeWriter(Optional<URI> dashboards, Optional<URI> runbooks) {
    private static final long BEFORE_MILLIS = 3_600_000;
    private static final String FALLBACK_DASHBOARD = "inferwatch-fleet";
    private static final Map<String, String> DASHBOARDS = Map.of(
            "drift",
            "inferwatch-drift",
            "comparison",
            "inferwatch-drift",
            "anomaly",
            "inferwatch-anomalies",
            "memory",
            "inferwatch-memory",
            "fragmentation",
            "inferwatch-memory",
            "placement",
            "inferwatch-bottlenecks",
            "slo-burn",
            "inferwatch-slo",
            "slo-no-data",
            "inferwatch-slo",
            AlertBook.WATCHDOG,
            "inferwatch-health");

    Notice write(Alert alert) {
        Map<String, String> labels = new TreeMap<>();
        alert.getLabels().forEach((name, value) -> {
            // Alertmanager takes a label without a value for one that is not there.
            if (!value.isEmpty()) {
                labels.put(labelName(name), value);
            }
        });
        labels.put("alertname", alert.getName());
        labels.put("severity", alert.getSeverity().toString().toLowerCase(Locale.ROOT));
        Map<String, String> annotations = new TreeMap<>();
        annotations.put("summary", alert.getSummary());
        annotations.put("fingerprint", alert.getFingerprint());
        if (!alert.getEvidence().isEmpty()) {
            annotations.put(
                    "evidence",
                    alert.getEvidence().stream().map(NoticeWriter::line).collect(Collectors.joining("\n")));
        }
        if (!alert.getCauses().isEmpty()) {
            annotations.put("causes", String.join("\n", alert.getCauses()));
        }
        runbooks.ifPresent(base -> annotations.put("runbook_url", base(base) + alert.getName() + ".md"));
        Long endsAtMicros = alert.getEndsAtMicros();
        return new Notice(
                labels,
                annotations,
                instant(alert.getStartsAtMicros()),
                switch (alert.getState()) {
                    case RESOLVED, EXPIRED -> instant(endsAtMicros == null ? alert.getChangedAtMicros() : endsAtMicros);
                    default -> null;
                },
                dashboards.map(base -> link(base, alert)).orElse(""));
    }

    private static String line(Evidence evidence) {
        return evidence.getName() + ": " + number(evidence.getValue())
                + (evidence.getBaseline() == null ? "" : ", was " + number(evidence.getBaseline()))
                + (evidence.getNote() == null ? "" : " (" + evidence.getNote() + ")");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4g", value);
    }

    /** The dashboard from an hour before the alert began until its last change. */
    private static String link(URI base, Alert alert) {
        return base(base) + "d/" + DASHBOARDS.getOrDefault(alert.getName(), FALLBACK_DASHBOARD) + "?from="
                + (alert.getStartsAtMicros() / 1_000 - BEFORE_MILLIS) + "&to="
                + (alert.getChangedAtMicros() / 1_000 + BEFORE_MILLIS / 4);
    }

    private static String base(URI uri) {
        String text = uri.toString();
        return text.endsWith("/") ? text : text + "/";
    }

    /** Dimensions have hyphens in their names, labels may not. */
    private static String labelName(String name) {
        String letters = name.replaceAll("[^a-zA-Z0-9_]", "_");
        return Character.isDigit(letters.charAt(0)) ? "_" + letters : letters;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
