package io.inferwatch.viewer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * A dashboard's file, with the queries in it: nothing else can be asked.
 *
 * @param file as it is committed
 * @param queries by panel and reference
 * @param variables query of each variable's values
 */
record ShownDashboard(
        String uid,
        String title,
        String description,
        byte[] file,
        Map<QueryKey, PanelQuery> queries,
        Map<String, String> variables,
        List<Mark> marks) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Which query of a dashboard. */
    record QueryKey(long panel, String ref) {}

    /** A query with the panel's shortest interval. */
    record PanelQuery(String template, Duration leastInterval) {}

    /** A query for marks on charts. */
    record Mark(String name, String color, String template, String textColumn) {}

    static ShownDashboard parse(byte[] file) {
        JsonNode json;
        try {
            json = JSON.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException("a dashboard's file is no JSON", e);
        }
        Map<QueryKey, PanelQuery> queries = new LinkedHashMap<>();
        for (JsonNode panel : json.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.put(
                        new QueryKey(
                                panel.path("id").longValue(),
                                target.path("refId").asText()),
                        new PanelQuery(
                                target.path("query").asText(),
                                interval(panel.path("interval").asText())));
            }
        }
        Map<String, String> variables = new LinkedHashMap<>();
        elements(json.path("templating").path("list")).stream()
                .filter(variable -> variable.path("type").asText().equals("query"))
                .forEach(variable -> variables.put(
                        variable.path("name").asText(), variable.path("query").asText()));
        List<Mark> marks = elements(json.path("annotations").path("list")).stream()
                .map(mark -> new Mark(
                        mark.path("name").asText(),
                        mark.path("iconColor").asText(),
                        mark.path("target").path("query").asText(),
                        mark.path("target").path("textColumn").asText()))
                .toList();
        return new ShownDashboard(
                json.path("uid").asText(),
                json.path("title").asText(),
                json.path("description").asText(),
                file,
                queries,
                variables,
                marks);
    }

    /** The text of one of its queries. */
    String query(Parameters parameters, TimeRange range) {
        QueryKey key = new QueryKey(parameters.number("panel", 0, Integer.MAX_VALUE), parameters.one("ref"));
        PanelQuery query = queries.get(key);
        if (query == null) {
            throw new BadRequestException(
                    404, "panel, ref: must name a query of " + uid + ", found " + key.panel() + ", " + key.ref());
        }
        Set<String> names = variables.keySet();
        return QueryText.expand(query.template(), names, parameters, range, query.leastInterval());
    }

    private static Duration interval(String text) {
        return Duration.parse("PT" + text);
    }

    private static List<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
