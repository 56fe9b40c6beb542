package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The latest verdicts as a table for people or as JSON. */
final class StandingText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private StandingText() {}

    /** Headings, a line for each key, columns aligned. */
    static List<String> table(StandingReport report) {
        StandingRequest request = report.request();
        List<String> lines = new ArrayList<>();
        lines.add("%s: latest verdicts of view %s from %s to %s"
                .formatted(request.metric(), request.view().name(), request.from(), request.to()));
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(request.tags());
        head.addAll(List.of(
                "statistic",
                "verdict",
                "like for like",
                "drifting since",
                "at",
                "now",
                "before",
                "n",
                "change",
                "95 % limits",
                "like for like",
                "by the mix"));
        rows.add(head);
        report.keys().forEach(key -> rows.add(row(key)));
        lines.addAll(TableText.align(rows, request.tags().size() + 5));
        return lines;
    }

    /** One JSON object. */
    static String json(StandingReport report) {
        StandingRequest request = report.request();
        ObjectNode root = JSON.createObjectNode();
        root.put("metric", request.metric());
        root.put("view", request.view().name());
        root.put("from", request.from().toString());
        root.put("to", request.to().toString());
        var keys = root.putArray("keys");
        for (StandingReport.Key key : report.keys()) {
            ObjectNode node = keys.addObject();
            ObjectNode by = node.putObject("by");
            for (int i = 0; i < request.tags().size(); i++) {
                by.put(request.tags().get(i), key.values().get(i));
            }
            node.put("statistic", key.statistic());
            node.put("at", key.at().toString());
            node.put("verdict", key.verdict());
            node.put("unit", key.unit());
            put(node, "current", key.current());
            put(node, "baseline", key.baseline());
            put(node, "change", key.change());
            put(node, "low", key.low());
            put(node, "high", key.high());
            node.put("n", key.n());
            key.adjusted().ifPresent(verdict -> node.put("adjustedVerdict", verdict));
            put(node, "adjustedChange", key.adjustedChange());
            put(node, "mixShare", key.mixShare());
            node.put("drifting", key.isDrifting());
            key.driftingSince().ifPresent(since -> node.put("driftingSince", since.toString()));
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static List<String> row(StandingReport.Key key) {
        List<String> row = new ArrayList<>(key.values());
        row.addAll(List.of(
                key.statistic(),
                key.verdict(),
                key.adjusted().orElse(TableText.NONE),
                key.driftingSince().map(Object::toString).orElse(TableText.NONE),
                key.at().toString(),
                TableText.orNone(key.current(), value -> TableText.value(key.unit(), value)),
                TableText.orNone(key.baseline(), value -> TableText.value(key.unit(), value)),
                Long.toString(key.n()),
                TableText.orNone(key.change(), TableText::change),
                key.low().isPresent() && key.high().isPresent()
                        ? TableText.change(key.low().getAsDouble()) + " to "
                                + TableText.change(key.high().getAsDouble())
                        : TableText.NONE,
                TableText.orNone(key.adjustedChange(), TableText::change),
                TableText.orNone(key.mixShare(), TableText::percent)));
        return row;
    }

    private static void put(ObjectNode node, String key, OptionalDouble value) {
        value.ifPresent(number -> node.put(key, number));
    }
}
