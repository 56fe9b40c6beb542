package io.inferwatch.jobs.detect;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.detect.Look.Common;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.window.Series;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Findings of anomalies as results and as alerts, with the figures behind them. Not thread safe. */
final class AnomalyAlerts {
    /** Name of the alert, and of its runbook page. */
    static final String NAME = "anomaly";

    private static final long MINUTE_MICROS = Duration.ofMinutes(1).toNanos() / 1_000;

    private final EventCodec codec = new EventCodec();

    /** How a finding ends. */
    enum End {
        /** None of its series is anomalous. */
        RESOLVED(AlertState.RESOLVED, " is as usual again, or what it is now has been accepted as usual"),
        /** Its series are part of a wider one. */
        MERGED(AlertState.RESOLVED, " has become part of what more series have in common"),
        /** Nothing is heard of its series. */
        EXPIRED(AlertState.EXPIRED, " has not been heard of since");

        private final AlertState state;
        private final String text;

        End(AlertState state, String text) {
            this.state = state;
            this.text = text;
        }
    }

    /** The result of a finding that has begun, or takes in more than before. */
    OutboundRecord open(Finding finding, Common common, long atMicros) {
        List<FigureResult> figures = figures(common);
        return result(
                new FigureBuilder(Measurement.ANOMALY_FINDING, view(finding), tags(finding), MINUTE_MICROS, atMicros)
                        .text(Field.STATE, "OPEN")
                        .text(Field.SUMMARY, summary(common, figures))
                        .text(Field.LABELS, finding.scope().replace('\n', ','))
                        .text(
                                Field.EVIDENCE,
                                figures.stream().map(AnomalyAlerts::describe).collect(Collectors.joining("\n")))
                        .count(Field.ANOMALOUS, common.series().size())
                        .count(Field.SERIES, common.of())
                        .count(Field.PROMOTED, finding.isAlerted() ? 1 : 0)
                        .count(Field.STARTS_AT_MICROS, finding.sinceMicros())
                        .build());
    }

    /** The result of one that is over. */
    OutboundRecord closed(Finding finding, End end, long atMicros) {
        return result(
                new FigureBuilder(Measurement.ANOMALY_FINDING, view(finding), tags(finding), MINUTE_MICROS, atMicros)
                        .text(Field.STATE, end.name())
                        .text(Field.SUMMARY, where(Standing.labels(finding.scope())) + end.text)
                        .count(Field.PROMOTED, finding.isAlerted() ? 1 : 0)
                        .count(Field.STARTS_AT_MICROS, finding.sinceMicros())
                        .build());
    }

    /** The alert of a finding. */
    OutboundRecord firing(Finding finding, Common common, long atMicros) {
        List<FigureResult> figures = figures(common);
        return alert(
                finding,
                AlertState.FIRING,
                null,
                atMicros,
                summary(common, figures),
                figures.stream().map(AnomalyAlerts::evidence).toList());
    }

    /** The alert of one that is over. */
    OutboundRecord over(Finding finding, End end, long atMicros) {
        return alert(
                finding, end.state, atMicros, atMicros, where(Standing.labels(finding.scope())) + end.text, List.of());
    }

    private OutboundRecord alert(
            Finding finding,
            AlertState state,
            @Nullable Long endsAtMicros,
            long atMicros,
            String summary,
            List<Evidence> evidence) {
        String fingerprint = NAME + ':' + finding.id();
        Alert alert = new Alert(
                fingerprint,
                NAME,
                state,
                Severity.TICKET,
                finding.sinceMicros(),
                atMicros,
                endsAtMicros,
                Standing.labels(finding.labels()),
                summary,
                evidence,
                List.of());
        return new OutboundRecord(fingerprint.getBytes(StandardCharsets.UTF_8), codec.encode(alert), atMicros / 1_000);
    }

    private OutboundRecord result(FigureResult result) {
        String key = result.getKind() + '/' + result.getDimensions().get(0).getValue();
        return new OutboundRecord(
                key.getBytes(StandardCharsets.UTF_8), codec.encode(result), result.getWindowEndMicros() / 1_000);
    }

    private static List<Dimension> tags(Finding finding) {
        return List.of(new Dimension(Field.FINDING, finding.id()));
    }

    /** A point has one view, a finding may have several: that of its first series. */
    private static String view(Finding finding) {
        return Series.view(finding.series().iterator().next());
    }

    /** What is shown of the members: what is told first, the strangest before others. */
    private List<FigureResult> figures(Common common) {
        List<FigureResult> figures = new ArrayList<>();
        for (byte[] shown : common.shown()) {
            try {
                figures.add(codec.decode(shown, FigureResult.class));
            } catch (UndecodableEventException e) {
                throw new IllegalStateException("this job encoded it", e);
            }
        }
        figures.sort(Comparator.comparing(
                        (FigureResult figure) -> -figure.getCounts().getOrDefault(Field.TOLD, 0L))
                .thenComparing(figure -> figure.getKind().equals(Measurement.STRAGGLER.measurementName()))
                .thenComparing(figure -> -value(figure, Field.SCORE))
                .thenComparing(AnomalyAlerts::name));
        return figures;
    }

    private static String summary(Common common, List<FigureResult> figures) {
        String extent = common.of() > 1 ? " (" + common.series().size() + " of its " + common.of() + " series)" : "";
        String more = common.statistics() > 1 ? ", and " + (common.statistics() - 1) + " statistics more" : "";
        return where(Standing.labels(common.labels())) + extent + " is not as usual: " + describe(figures.get(0))
                + more;
    }

    private static String where(Map<String, String> labels) {
        String dimensions = labels.entrySet().stream()
                .filter(label -> !label.getKey().equals("view"))
                .map(label -> label.getKey() + ' ' + label.getValue())
                .collect(Collectors.joining(", "));
        if (!dimensions.isEmpty()) {
            return dimensions;
        }
        String view = labels.get("view");
        return view == null ? "the whole fleet" : "view " + view;
    }

    private static String describe(FigureResult figure) {
        String text = name(figure) + " of " + subject(figure) + " is " + number(value(figure, Field.OBSERVED));
        if (isOfPeers(figure)) {
            return text + " while its peers' median is " + number(value(figure, Field.PEERS));
        }
        return text + ", expected " + expected(figure) + " ("
                + figure.getTexts().get(Field.CHANNEL) + ")";
    }

    private static Evidence evidence(FigureResult figure) {
        double observed = value(figure, Field.OBSERVED);
        String name = name(figure) + " of " + subject(figure) + ", "
                + figure.getTexts().get(Field.UNIT);
        if (isOfPeers(figure)) {
            return new Evidence(
                    name,
                    observed,
                    value(figure, Field.PEERS),
                    "its peers' median; its usual place among them is " + number(value(figure, Field.USUAL)));
        }
        double low = value(figure, Field.EXPECTED_LOW);
        double high = value(figure, Field.EXPECTED_HIGH);
        return new Evidence(
                name,
                observed,
                observed < low ? low : high,
                "expected at this hour " + expected(figure) + ", seen by channel "
                        + figure.getTexts().get(Field.CHANNEL));
    }

    private static boolean isOfPeers(FigureResult figure) {
        return figure.getKind().equals(Measurement.STRAGGLER.measurementName());
    }

    private static String expected(FigureResult figure) {
        return number(value(figure, Field.EXPECTED_LOW)) + " to " + number(value(figure, Field.EXPECTED_HIGH));
    }

    private static String name(FigureResult figure) {
        return dimension(figure, Field.METRIC) + '.' + dimension(figure, Field.STATISTIC);
    }

    private static String dimension(FigureResult figure, String name) {
        return figure.getDimensions().stream()
                .filter(dimension -> dimension.getName().equals(name))
                .map(Dimension::getValue)
                .findFirst()
                .orElse("");
    }

    /** The series' own first dimension names it best: the replica, the device. */
    private static String subject(FigureResult figure) {
        return figure.getDimensions().get(0).getValue();
    }

    private static double value(FigureResult figure, String field) {
        return figure.getValues().getOrDefault(field, 0.0);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.4g", value);
    }
}
