package io.inferwatch.viewer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a page may ask, answered from InfluxDB. Reads only, and only what the dashboards' own queries read. */
final class Answers {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int MOST_VALUES_OFFERED = 500;

    private final Map<String, ShownDashboard> dashboards = new LinkedHashMap<>();
    private final InfluxReader reader;

    Answers(List<ShownDashboard> dashboards, InfluxReader reader) {
        dashboards.forEach(dashboard -> this.dashboards.put(dashboard.uid(), dashboard));
        this.reader = reader;
    }

    /** Uid, title and description of each dashboard. */
    JsonNode list() {
        ArrayNode list = NODES.arrayNode();
        dashboards.values().forEach(dashboard -> list.addObject()
                .put("uid", dashboard.uid())
                .put("title", dashboard.title())
                .put("description", dashboard.description()));
        return list;
    }

    /** A dashboard's file. */
    byte[] file(String uid) {
        return dashboard(uid).file();
    }

    /** The series of one query. */
    JsonNode query(Parameters parameters) {
        ShownDashboard dashboard = dashboard(parameters.one("dashboard"));
        ObjectNode json = NODES.objectNode();
        ArrayNode list = json.putArray("series");
        for (InfluxSeries series : ask(dashboard.query(parameters, TimeRange.of(parameters)))) {
            ObjectNode one = list.addObject();
            ObjectNode tags = one.putObject("tags");
            series.tags().forEach(tags::put);
            ArrayNode columns = one.putArray("columns");
            ArrayNode rows = one.putArray("rows");
            for (InfluxRow row : series.rows()) {
                if (columns.isEmpty()) {
                    row.columns().forEach(columns::add);
                }
                rows.addArray().addAll(row.values());
            }
        }
        return json;
    }

    /** The values that each variable of a dashboard can have. */
    JsonNode variables(Parameters parameters) {
        ObjectNode json = NODES.objectNode();
        dashboard(parameters.one("dashboard")).variables().forEach((name, query) -> {
            ArrayNode values = json.putArray(name);
            ask(query).stream()
                    .flatMap(series -> series.rows().stream())
                    .flatMap(row -> row.text("value").stream())
                    .distinct()
                    .sorted()
                    .limit(MOST_VALUES_OFFERED)
                    .forEach(values::add);
        });
        return json;
    }

    /** What charts of a dashboard mark. */
    JsonNode marks(Parameters parameters) {
        ShownDashboard dashboard = dashboard(parameters.one("dashboard"));
        TimeRange range = TimeRange.of(parameters);
        ArrayNode list = NODES.arrayNode();
        for (ShownDashboard.Mark mark : dashboard.marks()) {
            String query = QueryText.expand(
                    mark.template(), dashboard.variables().keySet(), parameters, range, Duration.ofSeconds(10));
            for (InfluxSeries series : ask(query)) {
                for (InfluxRow row : series.rows()) {
                    list.addObject()
                            .put("name", mark.name())
                            .put("color", mark.color())
                            .put("atMicros", row.timeMicros())
                            .put("text", row.text(mark.textColumn()).orElse(""));
                }
            }
        }
        return list;
    }

    private List<InfluxSeries> ask(String influxQl) {
        return reader.query(RetentionPolicy.DEFAULT, influxQl);
    }

    private ShownDashboard dashboard(String uid) {
        ShownDashboard found = dashboards.get(uid);
        if (found == null) {
            throw new BadRequestException(
                    404, "dashboard: must be one of " + dashboards.keySet() + ", found '" + uid + "'");
        }
        return found;
    }
}
