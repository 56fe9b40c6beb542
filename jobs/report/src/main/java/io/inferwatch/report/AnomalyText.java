package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An {@link AnomalyReport} for people and for programs. */
final class AnomalyText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private AnomalyText() {}

    /** A line for each finding with its evidence below, then one for each statistic. */
    static List<String> table(AnomalyReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("Anomalies from %s to %s".formatted(report.from(), report.to()));
        if (report.findings().isEmpty()) {
            lines.add("Nothing was told, as alert or in shadow.");
        }
        for (AnomalyReport.Finding finding : report.findings()) {
            lines.add("");
            lines.add("%s  %s  %s  %s"
                    .formatted(
                            finding.since(),
                            lasted(finding),
                            finding.isAlert() ? "alert" : "in shadow",
                            finding.name()));
            lines.add("  " + finding.summary());
            finding.evidence().stream().skip(1).forEach(evidence -> lines.add("  " + evidence));
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("statistic", "minutes judged", "anomalous", "of them", "told"));
        report.watched()
                .forEach(watched -> rows.add(List.of(
                        watched.statistic(),
                        number(watched.judged()),
                        number(watched.anomalous()),
                        watched.judged() == 0
                                ? TableText.NONE
                                : String.format(Locale.ROOT, "%.3f %%", 100.0 * watched.anomalous() / watched.judged()),
                        number(watched.told()))));
        lines.add("");
        lines.addAll(TableText.align(rows, 1));
        return lines;
    }

    private static String lasted(AnomalyReport.Finding finding) {
        return finding.until()
                .map(until -> "%d min, %s"
                        .formatted(
                                Duration.between(finding.since(), until).toMinutes(),
                                finding.end().toLowerCase(Locale.ROOT)))
                .orElse("open");
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** One JSON object. */
    static String json(AnomalyReport report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("from", report.from().toString());
        root.put("to", report.to().toString());
        var findings = root.putArray("findings");
        for (AnomalyReport.Finding finding : report.findings()) {
            ObjectNode node = findings.addObject();
            node.put("name", finding.name());
            node.put("since", finding.since().toString());
            finding.until().ifPresent(until -> node.put("until", until.toString()));
            node.put("state", finding.end());
            node.put("alert", finding.isAlert());
            finding.anomalous().ifPresent(anomalous -> node.put("anomalous", anomalous));
            finding.series().ifPresent(series -> node.put("series", series));
            node.put("summary", finding.summary());
            var evidence = node.putArray("evidence");
            finding.evidence().forEach(evidence::add);
        }
        var watched = root.putArray("watched");
        for (AnomalyReport.Watched one : report.watched()) {
            ObjectNode node = watched.addObject();
            node.put("statistic", one.statistic());
            node.put("judged", one.judged());
            node.put("anomalous", one.anomalous());
            node.put("told", one.told());
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }
}
