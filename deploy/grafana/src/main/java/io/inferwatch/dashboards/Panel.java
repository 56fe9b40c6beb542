package io.inferwatch.dashboards;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One panel.
 *
 * @param title unique on its dashboard
 * @param description what it shows, how to read it and what it leaves out
 * @param whenEmpty what it says when nothing is stored: why that may be so
 * @param queries at least one
 * @param width of 24
 * @param link the uid of the dashboard that goes deeper
 */
public record Panel(
        Kind kind,
        String title,
        String description,
        String whenEmpty,
        List<Query> queries,
        Look look,
        int width,
        int height,
        Optional<String> link) {

    /** How a panel draws, by Grafana's name of it. */
    public enum Kind {
        TIME_SERIES("timeseries"),
        STAT("stat"),
        GAUGE("gauge"),
        TABLE("table"),
        HEAT_MAP("heatmap"),
        BARS("barchart");

        private final String grafanaName;

        Kind(String grafanaName) {
            this.grafanaName = grafanaName;
        }

        String grafanaName() {
            return grafanaName;
        }
    }

    /**
     * How values look.
     *
     * @param isFull whether the scale is 0 to 1
     * @param isStacked whether the series of a chart over time stand on each other
     */
    record Look(Unit unit, Thresholds thresholds, boolean isFull, boolean isStacked) {}

    /** A panel with unmodifiable queries. */
    public Panel {
        queries = List.copyOf(queries);
    }

    static Panel of(Kind kind, String title, String description, String whenEmpty, Query... queries) {
        boolean isSmall = kind == Kind.STAT || kind == Kind.GAUGE;
        Look plain = new Look(Unit.COUNT, Thresholds.none(), false, false);
        return new Panel(
                kind,
                title,
                description,
                whenEmpty,
                List.of(queries),
                plain,
                isSmall ? 4 : 12,
                isSmall ? 4 : 8,
                Optional.empty());
    }

    /** The time between two points of a series. */
    Duration every() {
        return queries.get(0).source().every();
    }

    Panel in(Unit unit) {
        return looking(new Look(unit, look.thresholds, look.isFull, look.isStacked));
    }

    Panel judgedBy(Thresholds thresholds) {
        return looking(new Look(look.unit, thresholds, look.isFull, look.isStacked));
    }

    Panel full() {
        return looking(new Look(look.unit, look.thresholds, true, look.isStacked));
    }

    Panel stacked() {
        return looking(new Look(look.unit, look.thresholds, look.isFull, true));
    }

    Panel sized(int newWidth, int newHeight) {
        return new Panel(kind, title, description, whenEmpty, queries, look, newWidth, newHeight, link);
    }

    Panel leadingTo(String uid) {
        return new Panel(kind, title, description, whenEmpty, queries, look, width, height, Optional.of(uid));
    }

    private Panel looking(Look newLook) {
        return new Panel(kind, title, description, whenEmpty, queries, newLook, width, height, link);
    }
}
