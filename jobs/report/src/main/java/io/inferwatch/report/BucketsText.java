package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.analytics.memory.BoundaryAdvice;
import io.inferwatch.analytics.memory.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Boundaries as a table for people, as JSON, or as the settings of an engine. */
final class BucketsText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private BucketsText() {}

    static List<String> table(BucketsReport report) {
        BucketsRequest request = report.request();
        BoundaryAdvice advice = report.advice();
        List<String> lines = new ArrayList<>();
        lines.add("%s of model %s%s: %s to %s, %d days with data, n %d; all is estimated"
                .formatted(
                        request.sketches().metric().name(),
                        request.model(),
                        request.version().map(version -> ", version " + version).orElse(""),
                        request.sketches().from(),
                        request.sketches().to(),
                        report.days(),
                        report.n()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("boundaries", "number", "padding up to p99"));
        rows.add(row(
                request.current().isPresent() ? "present" : "powers of two",
                report.current().sizes().size(),
                advice.currentShare()));
        rows.add(row("best", advice.optimal().sizes().size(), advice.optimalShare()));
        rows.add(row("at equal ratios", request.count(), advice.geometricShare()));
        rows.add(row("at equal distances", request.count(), advice.uniformShare()));
        lines.addAll(TableText.align(rows, 1));
        lines.add("the best save " + TableText.percent(advice.saving()) + " of that padding, "
                + (advice.leastSaving().isPresent()
                        ? "found from the other days "
                                + TableText.percent(advice.leastSaving().getAsDouble()) + " on the worst of "
                                + advice.windows() + (advice.windows() == 1 ? " day" : " days")
                        : "with no day of " + BoundaryAdvice.MIN_LENGTHS + " values to try them on")
                + ": "
                + (advice.isRecommended()
                        ? "change to them"
                        : "no reason to change, for which it takes more than "
                                + TableText.percent(BoundaryAdvice.MIN_SAVING) + " on each of at least "
                                + BoundaryAdvice.MIN_WINDOWS + " days"));
        lines.add("best: "
                + advice.optimal().sizes().stream().map(Object::toString).collect(Collectors.joining(",")));
        return lines;
    }

    /** One JSON object. */
    static String json(BucketsReport report) {
        BucketsRequest request = report.request();
        BoundaryAdvice advice = report.advice();
        ObjectNode root = JSON.createObjectNode();
        root.put("metric", request.sketches().metric().name());
        root.put("model", request.model());
        request.version().ifPresent(version -> root.put("version", version));
        root.put("from", request.sketches().from().toString());
        root.put("to", request.sketches().to().toString());
        root.put("days", report.days());
        root.put("n", report.n());
        report.current().sizes().forEach(root.withArray("current")::add);
        advice.optimal().sizes().forEach(root.withArray("best")::add);
        root.put("currentPaddingEstimated", advice.currentShare().value());
        root.put("bestPaddingEstimated", advice.optimalShare().value());
        root.put("geometricPaddingEstimated", advice.geometricShare().value());
        root.put("uniformPaddingEstimated", advice.uniformShare().value());
        root.put("savingEstimated", advice.saving());
        advice.leastSaving().ifPresent(saving -> root.put("leastSavingEstimated", saving));
        root.put("daysTriedOn", advice.windows());
        root.put("recommended", advice.isRecommended());
        return write(root);
    }

    /** What vLLM takes as {@code --compilation-config}: the sizes of batches that CUDA graphs are captured for. */
    static String compilationConfig(BoundaryAdvice advice) {
        ObjectNode root = JSON.createObjectNode();
        advice.optimal().sizes().forEach(root.withArray("cudagraph_capture_sizes")::add);
        return write(root);
    }

    private static List<String> row(String name, int number, Figure share) {
        return List.of(name, Integer.toString(number), TableText.percent(share.value()));
    }

    private static String write(ObjectNode root) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }
}
