package io.inferwatch.dashboards;

import java.util.List;

/**
 * A dashboard.
 *
 * @param uid its address in Grafana and in the viewer, and its file's name
 * @param description what it answers
 * @param from where its time range begins, as Grafana writes it
 * @param variables choices at its top
 * @param rows from top to bottom
 */
public record Dashboard(
        String uid, String title, String description, String from, List<Variable> variables, List<Row> rows) {
    /** A dashboard with unmodifiable lists. */
    public Dashboard {
        variables = List.copyOf(variables);
        rows = List.copyOf(rows);
    }

    /**
     * Panels under a heading, from left to right, in as many lines as they need.
     *
     * @param title none when empty
     */
    public record Row(String title, List<Panel> panels) {
        /** A row with unmodifiable panels. */
        public Row {
            panels = List.copyOf(panels);
        }

        static Row of(String title, Panel... panels) {
            return new Row(title, List.of(panels));
        }
    }

    /** All panels, in order. */
    public List<Panel> panels() {
        return rows.stream().flatMap(row -> row.panels().stream()).toList();
    }
}
