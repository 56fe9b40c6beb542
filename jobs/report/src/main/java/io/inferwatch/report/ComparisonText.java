package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.report.ComparisonReport.Judged;
import io.inferwatch.report.ComparisonReport.Side;
import java.util.ArrayList;
import java.util.List;

/** A comparison as a table for people or as JSON. */
final class ComparisonText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ComparisonText() {}

    /** The baseline, headings, a line for each value judged, columns aligned. */
    static List<String> table(ComparisonReport report) {
        ComparisonRequest request = report.request();
        SketchRequest sketches = request.sketches();
        Side baseline = report.baseline();
        String label = request.watch().statistic().label();
        List<String> lines = new ArrayList<>();
        lines.add("%s %s: %s"
                .formatted(request.metric().name(), label, request.metric().help()));
        lines.add("%s to %s, %d minutes; drift is worse by %s"
                .formatted(
                        sketches.from(),
                        sketches.to(),
                        sketches.minutes(),
                        TableText.percent(request.rule().threshold())));
        lines.add("baseline: %s %s, %s, n %d, %d minutes with data"
                .formatted(
                        request.dimension(),
                        baseline.value(),
                        value(request, baseline),
                        baseline.n(),
                        baseline.minutes()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                request.dimension(),
                "verdict",
                "against",
                label,
                "n",
                "change",
                "95 % limits",
                "p",
                "q",
                "detectable",
                "provable"));
        report.judged().forEach(judged -> rows.add(row(request, judged)));
        lines.addAll(TableText.align(rows, 3));
        return lines;
    }

    /** One JSON object. */
    static String json(ComparisonReport report) {
        ComparisonRequest request = report.request();
        SketchRequest sketches = request.sketches();
        ObjectNode root = JSON.createObjectNode();
        root.put("metric", request.metric().name());
        root.put("statistic", request.watch().statistic().label());
        root.put("unit", request.metric().unit().base());
        root.put("view", sketches.view().name());
        root.put("by", request.dimension());
        root.put("from", sketches.from().toString());
        root.put("to", sketches.to().toString());
        root.put("minutes", sketches.minutes());
        root.put("threshold", request.rule().threshold());
        root.put("confidence", request.rule().confidence());
        root.set("baseline", side(report.baseline()));
        var candidates = root.putArray("candidates");
        for (Judged judged : report.judged()) {
            ObjectNode node = side(judged.side());
            candidates.add(node);
            node.put("against", against(judged).replace(' ', '-'));
            node.put("verdict", judged.verdict().name());
            if (judged.finding().comparison() instanceof Measured measured) {
                node.put("change", measured.change());
                node.put("low", measured.low());
                node.put("high", measured.high());
                node.put("p", measured.p());
            }
            judged.q().ifPresent(q -> node.put("q", q));
            judged.finding().minimumDetectableEffect().ifPresent(change -> node.put("detectableChange", change));
            judged.finding().provableChange().ifPresent(change -> node.put("provableChange", change));
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static ObjectNode side(Side side) {
        return JSON.createObjectNode()
                .put("value", side.value())
                .put("n", side.n())
                .put("minutesWithData", side.minutes())
                .put("statistic", side.statistic());
    }

    private static List<String> row(ComparisonRequest request, Judged judged) {
        List<String> row = new ArrayList<>(List.of(
                judged.side().value(),
                judged.verdict().name(),
                against(judged),
                value(request, judged.side()),
                Long.toString(judged.side().n())));
        if (judged.finding().comparison() instanceof Measured measured) {
            row.add(TableText.change(measured.change()));
            row.add(TableText.change(measured.low()) + " to " + TableText.change(measured.high()));
            row.add(TableText.probability(measured.p()));
        } else {
            row.addAll(List.of(TableText.NONE, TableText.NONE, TableText.NONE));
        }
        row.add(TableText.orNone(judged.q(), TableText::probability));
        row.add(TableText.orNone(judged.finding().minimumDetectableEffect(), TableText::percent));
        row.add(TableText.orNone(judged.finding().provableChange(), TableText::percent));
        return row;
    }

    private static String against(Judged judged) {
        return judged.isBeside() ? "same minutes" : "other minutes";
    }

    private static String value(ComparisonRequest request, Side side) {
        return TableText.value(request.metric().unit().base(), side.statistic());
    }
}
