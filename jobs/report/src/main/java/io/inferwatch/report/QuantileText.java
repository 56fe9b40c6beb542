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
import java.util.Locale;
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
        lines.addAll(align(rows, request.by().size()));
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
            row.add(value(request, quantile.value()));
            row.add(quantile.limits().map(limits -> limits(request, limits)).orElse("not estimable"));
        }
        row.add(value(request, group.min()));
        row.add(value(request, group.mean()));
        row.add(value(request, group.max()));
        return row;
    }

    private static String limits(QuantileRequest request, Limits limits) {
        return value(request, limits.low()) + " - " + value(request, limits.high());
    }

    /** Four significant digits: the sketch does not know more. */
    private static String value(QuantileRequest request, double value) {
        if (!request.metric().unit().base().equals("seconds")) {
            return significant(value);
        }
        if (value >= 1 || value == 0) {
            return significant(value) + " s";
        }
        return value >= 1e-3 ? significant(value * 1e3) + " ms" : significant(value * 1e6) + " us";
    }

    private static String significant(double value) {
        if (value == 0) {
            return "0";
        }
        int digits = (int) Math.floor(Math.log10(value)) + 1;
        return String.format(Locale.ROOT, "%." + Math.max(0, Math.min(6, 4 - digits)) + "f", value);
    }

    /** Texts to the left, numbers to the right, two blanks between. */
    private static List<String> align(List<List<String>> rows, int texts) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : "  ").append(i < texts ? row.get(i) + padding : padding + row.get(i));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
