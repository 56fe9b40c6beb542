package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.report.QuantileReport.Group;
import io.inferwatch.report.QuantileReport.Limits;
import io.inferwatch.report.QuantileReport.Quantile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A quantile report as a table for people or as JSON. */
final class QuantileText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private QuantileText() {}

    /** Headings, a line for each group, columns aligned. */
    static List<String> table(QuantileReport report) {
        QuantileRequest request = report.request();
        List<String> lines = new ArrayList<>();
        lines.add("%s: %s".formatted(request.metric().name(), request.metric().help()));
        lines.add("%s to %s, %d of %d minutes with data"
                .formatted(request.from(), request.to(), report.minutesWithData(), request.minutes()));
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(request.by());
        head.add("n");
        for (double q : request.q()) {
            head.add(new Quantile(q, 0, Optional.empty()).label());
            head.add("95 % limits");
        }
        head.addAll(List.of("min", "mean", "max"));
        rows.add(head);
        report.groups().forEach(group -> rows.add(row(request, group)));
        lines.addAll(TableText.align(rows, request.by().size()));
        return lines;
    }

    /** One JSON object. */
    static String json(QuantileReport report) {
        QuantileRequest request = report.request();
        ObjectNode root = JSON.createObjectNode();
        root.put("metric", request.metric().name());
        root.put("unit", request.metric().unit().base());
        root.put("view", request.view().name());
        root.put("from", request.from().toString());
        root.put("to", request.to().toString());
        root.put("minutes", request.minutes());
        root.put("minutesWithData", report.minutesWithData());
        root.put("confidence", QuantileReport.CONFIDENCE);
        ArrayNode groups = root.putArray("groups");
        for (Group group : report.groups()) {
            ObjectNode node = groups.addObject();
            ObjectNode by = node.putObject("by");
            for (int i = 0; i < request.by().size(); i++) {
                by.put(request.by().get(i), group.values().get(i));
            }
            node.put("n", group.n());
            node.put("min", group.min());
            node.put("mean", group.mean());
            node.put("max", group.max());
            ArrayNode quantiles = node.putArray("quantiles");
            for (Quantile quantile : group.quantiles()) {
                ObjectNode one = quantiles.addObject();
                one.put("q", quantile.q());
                one.put("value", quantile.value());
                one.put("estimable", quantile.limits().isPresent());
                quantile.limits()
                        .ifPresent(limits -> one.put("low", limits.low()).put("high", limits.high()));
            }
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static List<String> row(QuantileRequest request, Group group) {
        List<String> row = new ArrayList<>(group.values());
        row.add(Long.toString(group.n()));
        for (Quantile quantile : group.quantiles()) {
            row.add(TableText.value(request.metric().unit().base(), quantile.value()));
            row.add(quantile.limits().map(limits -> limits(request, limits)).orElse("not estimable"));
        }
        row.add(TableText.value(request.metric().unit().base(), group.min()));
        row.add(TableText.value(request.metric().unit().base(), group.mean()));
        row.add(TableText.value(request.metric().unit().base(), group.max()));
        return row;
    }

    private static String limits(QuantileRequest request, Limits limits) {
        return TableText.value(request.metric().unit().base(), limits.low()) + " - "
                + TableText.value(request.metric().unit().base(), limits.high());
    }
}
