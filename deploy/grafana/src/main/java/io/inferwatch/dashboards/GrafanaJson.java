package io.inferwatch.dashboards;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.influx.InfluxQl;

/** A dashboard as the JSON that Grafana 10 and later imports. The same dashboard gives the same bytes. */
final class GrafanaJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int SCHEMA_VERSION = 39;
    private static final int COLUMNS = 24;
    private static final String TAG = "inferwatch";

    private GrafanaJson() {}

    static String text(Dashboard dashboard) {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
        printer.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE.withLinefeed("\n"));
        printer.indentObjectsWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE.withLinefeed("\n"));
        try {
            return JSON.writer(printer).writeValueAsString(of(dashboard)) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ObjectNode of(Dashboard dashboard) {
        ObjectNode json = NODES.objectNode();
        json.put("uid", dashboard.uid());
        json.put("title", dashboard.title());
        json.put("description", dashboard.description());
        json.putArray("tags").add(TAG);
        json.put("schemaVersion", SCHEMA_VERSION);
        json.put("editable", true);
        json.put("graphTooltip", 1);
        json.put("refresh", "10s");
        json.putObject("time").put("from", dashboard.from()).put("to", "now");
        json.putArray("links")
                .addObject()
                .put("type", "dashboards")
                .put("title", "Inferwatch")
                .put("asDropdown", true)
                .put("keepTime", true)
                .put("includeVars", true)
                .putArray("tags")
                .add(TAG);
        json.putObject("annotations").set("list", annotations());
        json.putObject("templating").set("list", variables(dashboard));
        json.set("panels", panels(dashboard));
        return json;
    }

    private static ArrayNode annotations() {
        ArrayNode list = NODES.arrayNode();
        for (Annotation annotation : Annotation.all()) {
            ObjectNode json = list.addObject();
            json.put("name", annotation.name());
            json.set("datasource", datasource());
            json.put("enable", true);
            json.put("iconColor", annotation.tone().hex());
            json.put("query", annotation.query());
            json.put("textColumn", Annotation.TEXT);
            json.put("fromAnnotations", true);
            json.putObject("target")
                    .put("refId", "Anno")
                    .put("query", annotation.query())
                    .put("rawQuery", true)
                    .put("textColumn", Annotation.TEXT)
                    .put("fromAnnotations", true);
        }
        return list;
    }

    private static ArrayNode variables(Dashboard dashboard) {
        ArrayNode list = NODES.arrayNode();
        list.addObject()
                .put("name", "datasource")
                .put("label", "Data source")
                .put("type", "datasource")
                .put("query", "influxdb");
        for (Variable variable : dashboard.variables()) {
            String query = "SHOW TAG VALUES FROM " + InfluxQl.identifier(variable.measurement()) + " WITH KEY = "
                    + InfluxQl.identifier(variable.tag());
            ObjectNode json = list.addObject();
            json.put("name", variable.tag());
            json.put("label", variable.label());
            json.put("type", "query");
            json.set("datasource", datasource());
            json.put("query", query);
            json.put("definition", query);
            json.put("multi", true);
            json.put("includeAll", true);
            json.put("allValue", ".*");
            json.put("refresh", 2);
            json.put("sort", 1);
            ObjectNode current = json.putObject("current");
            current.putArray("text").add("All");
            current.putArray("value").add("$__all");
        }
        return list;
    }

    private static ArrayNode panels(Dashboard dashboard) {
        ArrayNode list = NODES.arrayNode();
        int id = 1;
        int top = 0;
        for (Dashboard.Row row : dashboard.rows()) {
            if (!row.title().isEmpty()) {
                ObjectNode heading = list.addObject();
                heading.put("id", id++);
                heading.put("type", "row");
                heading.put("title", row.title());
                heading.put("collapsed", false);
                place(heading, 0, top, COLUMNS, 1);
                heading.putArray("panels");
                top++;
            }
            int left = 0;
            int height = 0;
            for (Panel panel : row.panels()) {
                if (left + panel.width() > COLUMNS) {
                    top += height;
                    left = 0;
                    height = 0;
                }
                ObjectNode json = GrafanaPanel.of(panel, id++);
                place(json, left, top, panel.width(), panel.height());
                list.add(json);
                left += panel.width();
                height = Math.max(height, panel.height());
            }
            top += height;
        }
        return list;
    }

    private static void place(ObjectNode json, int x, int y, int width, int height) {
        json.putObject("gridPos").put("h", height).put("w", width).put("x", x).put("y", y);
    }

    /** Whichever InfluxDB the dashboard's first variable names. */
    static ObjectNode datasource() {
        return NODES.objectNode().put("type", "influxdb").put("uid", "${datasource}");
    }
}
