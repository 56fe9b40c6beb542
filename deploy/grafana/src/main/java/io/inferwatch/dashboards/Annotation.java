package io.inferwatch.dashboards;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.List;

/**
 * Marks on every chart over time.
 *
 * @param name what they mark
 * @param query gives a time and a text for each
 */
record Annotation(String name, Tone tone, String query) {
    /** The column that holds a mark's text. */
    static final String TEXT = "text";

    /** What all dashboards mark: alerts that begin to fire, and versions that begin to serve. */
    static List<Annotation> all() {
        String alerts = new Query.Newest(
                        AlertsDashboard.ALERTS.with(Field.STATE, AlertState.FIRING.name()),
                        List.of(Column.plain(Field.SUMMARY, TEXT)),
                        100)
                .influxQl();
        Source versions = new Stored(MetricCatalogue.shipped()).view(RetentionPolicy.R1M, "model-version");
        // The tag is asked for twice: as a column for its text, and to have the first point of each of its values.
        String deploys = "SELECT first(" + InfluxQl.identifier(Field.REQUESTS) + ") AS \"requests\", "
                + InfluxQl.identifier("version") + " AS " + InfluxQl.identifier(TEXT) + " FROM " + versions.from()
                + " WHERE " + versions.where() + " GROUP BY " + InfluxQl.identifier("version");
        return List.of(new Annotation("Alert", Tone.BAD, alerts), new Annotation("Version", Tone.MIDDLE, deploys));
    }
}
