package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** A {@link SloReport} for people and for programs. */
final class SloReportText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private SloReportText() {}

    /** Headings and a line for each objective and series. */
    static List<String> table(SloReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("Objectives from %s to %s".formatted(report.from(), report.to()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "objective", "of", "state", "firing", "good", "target", "budget left", "burn", "spent in", "at"));
        report.objectives().forEach(one -> rows.add(row(one)));
        lines.addAll(TableText.align(rows, 4));
        return lines;
    }

    private static List<String> row(SloReport.Standing one) {
        return List.of(
                one.slo(),
                one.series().isEmpty()
                        ? one.view()
                        : one.series().entrySet().stream()
                                .map(tag -> tag.getKey() + " " + tag.getValue())
                                .collect(Collectors.joining(", ")),
                one.state(),
                one.firing().isEmpty() ? TableText.NONE : one.firing(),
                TableText.orNone(one.attained(), SloReportText::share),
                TableText.orNone(one.target(), SloReportText::share),
                TableText.orNone(one.budgetLeft(), TableText::percent),
                TableText.orNone(one.burn(), burn -> String.format(Locale.ROOT, "%.3g", burn)),
                TableText.orNone(one.spentInSeconds(), SloReportText::time),
                one.at().toString());
    }

    /** To a thousandth of a percent: 99.95 % and 99.99 % are worlds apart. */
    private static String share(double share) {
        return String.format(Locale.ROOT, "%.3f %%", 100 * share);
    }

    private static String time(double seconds) {
        Duration duration = Duration.ofSeconds(Math.round(seconds));
        return duration.isZero()
                ? "is spent"
                : duration.toDays() >= 2
                        ? duration.toDays() + " d"
                        : duration.toHours() >= 2 ? duration.toHours() + " h" : duration.toMinutes() + " min";
    }

    /** One JSON object. */
    static String json(SloReport report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("from", report.from().toString());
        root.put("to", report.to().toString());
        var objectives = root.putArray("objectives");
        for (SloReport.Standing one : report.objectives()) {
            ObjectNode node = objectives.addObject();
            node.put("slo", one.slo());
            node.put("service", one.service());
            node.put("view", one.view());
            ObjectNode series = node.putObject("series");
            one.series().forEach(series::put);
            node.put("state", one.state());
            node.put("firing", one.firing());
            put(node, "target", one.target());
            put(node, "attained", one.attained());
            put(node, "budgetLeft", one.budgetLeft());
            put(node, "burn", one.burn());
            put(node, "spentInSeconds", one.spentInSeconds());
            one.metric().ifPresent(metric -> node.put("metric", metric));
            one.unit().ifPresent(unit -> node.put("unit", unit));
            put(node, "effectiveThreshold", one.threshold());
            node.put("at", one.at().toString());
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static void put(ObjectNode node, String key, OptionalDouble value) {
        value.ifPresent(number -> node.put(key, number));
    }
}
