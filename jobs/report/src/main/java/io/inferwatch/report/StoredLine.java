package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What points of a measurement say of one subject.
 *
 * @param tags what it is
 * @param figures by the names that they are stored under; what is not known is left out
 */
record StoredLine(Map<String, String> tags, Instant at, Map<String, Double> figures, Map<String, String> texts) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What is asked of a measurement. */
    record Question(Measurement measurement, String view, List<String> figures, List<String> texts, List<String> by) {
        /** Sums of the figures over the period, a line for each subject. */
        List<StoredLine> sums(RetentionPolicy policy, Instant from, Instant to, InfluxReader reader) {
            return ask(
                    policy,
                    figures.stream()
                            .map(InfluxQl::identifier)
                            .map(name -> "sum(" + name + ") AS " + name)
                            .collect(Collectors.joining(", ")),
                    "",
                    from,
                    to,
                    reader);
        }

        /** The last point of each subject. */
        List<StoredLine> latest(RetentionPolicy policy, Instant from, Instant to, InfluxReader reader) {
            return ask(policy, fields(), " ORDER BY time DESC LIMIT 1", from, to, reader);
        }

        /** Every point. */
        List<StoredLine> all(RetentionPolicy policy, Instant from, Instant to, InfluxReader reader) {
            return ask(policy, fields(), "", from, to, reader);
        }

        private String fields() {
            List<String> fields = new ArrayList<>(figures);
            fields.addAll(texts);
            return fields.stream().map(InfluxQl::identifier).collect(Collectors.joining(", "));
        }

        private List<StoredLine> ask(
                RetentionPolicy policy, String selected, String order, Instant from, Instant to, InfluxReader reader) {
            String query = "SELECT " + selected
                    + " FROM " + InfluxQl.identifier(measurement.measurementName())
                    + " WHERE time > " + InfluxQl.instant(TimeText.micros(from))
                    + " AND time <= " + InfluxQl.instant(TimeText.micros(to))
                    + (view.isEmpty() ? "" : " AND \"view\" = " + InfluxQl.string(view))
                    + by.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ", " GROUP BY ", order));
            List<StoredLine> lines = new ArrayList<>();
            for (InfluxSeries series : reader.query(policy, query)) {
                for (InfluxRow row : series.rows()) {
                    Map<String, Double> found = new LinkedHashMap<>();
                    figures.forEach(name -> row.real(name).ifPresent(value -> found.put(name, value)));
                    Map<String, String> words = new LinkedHashMap<>();
                    texts.forEach(name -> row.text(name).ifPresent(value -> words.put(name, value)));
                    lines.add(new StoredLine(series.tags(), TimeText.ofMicros(row.timeMicros()), found, words));
                }
            }
            return lines;
        }
    }

    String tag(String name) {
        return tags.getOrDefault(name, TableText.NONE);
    }

    String text(String name) {
        return texts.getOrDefault(name, TableText.NONE);
    }

    OptionalDouble figure(String name) {
        Double figure = figures.get(name);
        return figure == null ? OptionalDouble.empty() : OptionalDouble.of(figure);
    }

    /** With one more figure, where it is known. */
    StoredLine with(String name, OptionalDouble figure) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        figure.ifPresent(value -> more.put(name, value));
        return new StoredLine(tags, at, more, texts);
    }

    /** A thousandth and so on of one figure to another one; empty without either. */
    OptionalDouble ratio(double times, String numerator, String denominator) {
        OptionalDouble part = figure(numerator);
        double whole = figure(denominator).orElse(0);
        return part.isEmpty() || whole == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(times * part.getAsDouble() / whole);
    }

    /** One JSON object: the period, and lists of lines by name, with everything under the names that it is stored under. */
    static String json(Instant from, Instant to, Map<String, List<StoredLine>> lists) {
        ObjectNode root = JSON.createObjectNode();
        root.put("from", from.toString());
        root.put("to", to.toString());
        lists.forEach((name, lines) -> {
            var array = root.putArray(name);
            for (StoredLine line : lines) {
                ObjectNode node = array.addObject();
                line.tags.forEach(node::put);
                node.put("at", line.at.toString());
                line.figures.forEach(node::put);
                line.texts.forEach(node::put);
            }
        });
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }
}
