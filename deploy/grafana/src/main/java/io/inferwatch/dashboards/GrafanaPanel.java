package io.inferwatch.dashboards;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.dashboards.Column.Role;
import java.util.List;

/** A panel as Grafana's JSON. */
final class GrafanaPanel {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    /** A longer gap is no line: what was idle must not look steady. */
    private static final int BRIDGED_WINDOWS = 3;

    private GrafanaPanel() {}

    static ObjectNode of(Panel panel, int id) {
        ObjectNode json = NODES.objectNode();
        json.put("id", id);
        json.put("type", panel.kind().grafanaName());
        json.put("title", panel.title());
        json.put("description", panel.description());
        json.set("datasource", GrafanaJson.datasource());
        // Intervals shorter than the windows would be empty in between.
        json.put("interval", panel.every().toSeconds() + "s");
        json.set("targets", targets(panel));
        json.set("fieldConfig", fieldConfig(panel));
        json.set("options", options(panel));
        panel.link().ifPresent(uid -> json.putArray("links")
                .addObject()
                .put("title", "More")
                .put("url", "/d/" + uid + "?${__url_time_range}&${__all_variables}"));
        if (panel.kind() == Panel.Kind.TABLE) {
            hideTime(panel, json);
        }
        return json;
    }

    private static ArrayNode targets(Panel panel) {
        ArrayNode list = NODES.arrayNode();
        char refId = 'A';
        for (Query query : panel.queries()) {
            ObjectNode json = list.addObject();
            json.put("refId", String.valueOf(refId++));
            json.set("datasource", GrafanaJson.datasource());
            json.put("rawQuery", true);
            json.put("query", query.influxQl());
            json.put("resultFormat", query.resultFormat());
            if (!query.alias().isEmpty()) {
                json.put("alias", query.alias());
            }
        }
        return list;
    }

    private static ObjectNode fieldConfig(Panel panel) {
        ObjectNode json = NODES.objectNode();
        ObjectNode defaults = json.putObject("defaults");
        defaults.put("unit", panel.look().unit().grafanaName());
        defaults.put("noValue", panel.whenEmpty());
        if (panel.look().isFull()) {
            defaults.put("min", 0).put("max", 1);
        }
        boolean isJudged = panel.kind() == Panel.Kind.STAT || panel.kind() == Panel.Kind.GAUGE;
        defaults.putObject("color").put("mode", isJudged ? "thresholds" : "palette-classic");
        defaults.set("thresholds", thresholds(panel.look().thresholds()));
        if (panel.kind() == Panel.Kind.TIME_SERIES) {
            defaults.set("custom", lines(panel));
        }
        ArrayNode overrides = json.putArray("overrides");
        panel.queries().forEach(query -> overrides(overrides, query.columns()));
        return json;
    }

    private static ObjectNode lines(Panel panel) {
        ObjectNode json = NODES.objectNode();
        if (!panel.look().isFull()) {
            json.put("axisSoftMin", 0);
        }
        json.put("lineWidth", 1.5);
        json.put("fillOpacity", panel.look().isStacked() ? 40 : 0);
        json.put("showPoints", "auto");
        json.put("pointSize", 4);
        json.put("spanNulls", panel.every().multipliedBy(BRIDGED_WINDOWS).toMillis());
        json.putObject("stacking").put("mode", panel.look().isStacked() ? "normal" : "none");
        json.putObject("thresholdsStyle").put("mode", panel.look().thresholds().isDrawn() ? "dashed" : "off");
        return json;
    }

    private static ObjectNode thresholds(Thresholds thresholds) {
        ObjectNode json = NODES.objectNode();
        json.put("mode", "absolute");
        ArrayNode steps = json.putArray("steps");
        steps.addObject().put("color", thresholds.base().hex()).putNull("value");
        thresholds.steps().forEach(step -> steps.addObject()
                .put("color", step.tone().hex())
                .put("value", step.from()));
        return json;
    }

    private static void overrides(ArrayNode overrides, List<Column> columns) {
        String low = columns.stream()
                .filter(column -> column.role() == Role.BAND_LOW)
                .map(Column::label)
                .findFirst()
                .orElse("");
        for (Column column : columns) {
            ArrayNode properties = NODES.arrayNode();
            column.unit().ifPresent(unit -> property(properties, "unit").put("value", unit.grafanaName()));
            column.tone().ifPresent(tone -> property(properties, "color")
                    .putObject("value")
                    .put("mode", "fixed")
                    .put("fixedColor", tone.hex()));
            if (column.role() != Role.LINE) {
                property(properties, "custom.lineWidth").put("value", 0);
                property(properties, "custom.showPoints").put("value", "never");
                property(properties, "custom.hideFrom")
                        .putObject("value")
                        .put("legend", true)
                        .put("tooltip", false)
                        .put("viz", false);
            }
            if (column.role() == Role.BAND_HIGH) {
                property(properties, "custom.fillBelowTo").put("value", low);
                property(properties, "custom.fillOpacity").put("value", 18);
            }
            if (!properties.isEmpty()) {
                override(overrides, column.label()).set("properties", properties);
            }
        }
    }

    private static ObjectNode override(ArrayNode overrides, String label) {
        ObjectNode json = overrides.addObject();
        json.putObject("matcher").put("id", "byName").put("options", label);
        return json;
    }

    private static ObjectNode property(ArrayNode properties, String id) {
        return properties.addObject().put("id", id);
    }

    /** The time of a table's row is that of the range's beginning, except where rows are points. */
    private static void hideTime(Panel panel, ObjectNode json) {
        if (panel.queries().get(0) instanceof Query.Newest) {
            return;
        }
        ArrayNode overrides = (ArrayNode) json.get("fieldConfig").get("overrides");
        ArrayNode properties = NODES.arrayNode();
        property(properties, "custom.hidden").put("value", true);
        override(overrides, "Time").set("properties", properties);
    }

    private static ObjectNode options(Panel panel) {
        ObjectNode json = NODES.objectNode();
        switch (panel.kind()) {
            case TIME_SERIES -> {
                json.putObject("legend")
                        .put("showLegend", true)
                        .put("displayMode", "list")
                        .put("placement", "bottom");
                json.putObject("tooltip").put("mode", "multi").put("sort", "desc");
            }
            case STAT -> {
                json.putObject("reduceOptions").putArray("calcs").add("lastNotNull");
                json.put("graphMode", "area");
                json.put("colorMode", "value");
            }
            case GAUGE -> {
                json.putObject("reduceOptions").putArray("calcs").add("lastNotNull");
                json.put("showThresholdMarkers", true);
            }
            case HEAT_MAP -> {
                json.put("calculate", false);
                json.putObject("color").put("mode", "scheme").put("scheme", "Oranges");
                json.putObject("yAxis").put("unit", "none");
                json.putObject("cellValues").put("unit", panel.look().unit().grafanaName());
                json.putObject("legend").put("show", true);
            }
            case TABLE -> json.put("showHeader", true);
            case BARS -> {
                json.put("orientation", "horizontal");
                json.put("showValue", "always");
                json.putObject("legend").put("showLegend", false);
            }
        }
        return json;
    }
}
