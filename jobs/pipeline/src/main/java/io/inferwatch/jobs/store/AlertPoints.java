package io.inferwatch.jobs.store;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.PointBuilder;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.alert.Alerts;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.Evidence;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One point for each change of an alert's state, kept as long as windows of an hour. None of the alert that fires always, which changes nothing. */
final class AlertPoints {
    private AlertPoints() {}

    static List<Point> of(Alert alert) {
        if (alert.getName().equals(Alerts.WATCHDOG)) {
            return List.of();
        }
        PointBuilder point = PointBuilder.of(Measurement.ALERT)
                .tag(Field.ALERT, alert.getName())
                .tag(Field.FINGERPRINT, alert.getFingerprint())
                .text(Field.STATE, alert.getState().name())
                .text(Field.SEVERITY, alert.getSeverity().name())
                .text(Field.SUMMARY, alert.getSummary())
                .integer(Field.STARTS_AT_MICROS, alert.getStartsAtMicros());
        if (alert.getEndsAtMicros() != null) {
            point.integer(Field.ENDS_AT_MICROS, alert.getEndsAtMicros());
        }
        point.text(
                Field.LABELS,
                new TreeMap<>(alert.getLabels())
                        .entrySet().stream()
                                .map(label -> label.getKey() + "=" + label.getValue())
                                .collect(Collectors.joining(",")));
        point.text(
                Field.EVIDENCE,
                alert.getEvidence().stream().map(AlertPoints::describe).collect(Collectors.joining("\n")));
        point.text(Field.CAUSES, String.join("\n", alert.getCauses()));
        return List.of(new Point(RetentionPolicy.R1H, point, alert.getChangedAtMicros()));
    }

    private static String describe(Evidence evidence) {
        String baseline = evidence.getBaseline() == null ? "" : ", against " + evidence.getBaseline();
        String note = evidence.getNote() == null ? "" : " (" + evidence.getNote() + ")";
        return evidence.getName() + ": " + evidence.getValue() + baseline + note;
    }
}
