package io.inferwatch.dashboards;

import io.inferwatch.influx.InfluxQl;
import java.util.Locale;
import java.util.Optional;

/**
 * One value of a query.
 *
 * @param expression in InfluxQL
 * @param label its name in legends and table heads
 * @param unit where it is not the panel's
 * @param tone where the palette's colour will not do
 * @param role how a chart over time draws it
 */
record Column(String expression, String label, Optional<Unit> unit, Optional<Tone> tone, Role role) {

    /** How a chart over time draws a value. */
    enum Role {
        LINE,
        /** The lower edge of a band, without a line. */
        BAND_LOW,
        /** The upper edge of a band, without a line; the ground between it and the lower edge is tinted. */
        BAND_HIGH
    }

    /** What is taken of the points of an interval. */
    enum Aggregate {
        MAX,
        MIN,
        MEAN,
        SUM,
        LAST,
        COUNT
    }

    static Column of(Aggregate aggregate, String field, String label) {
        return new Column(
                aggregate.name().toLowerCase(Locale.ROOT) + "(" + InfluxQl.identifier(field) + ")",
                label,
                Optional.empty(),
                Optional.empty(),
                Role.LINE);
    }

    /** A field or tag as it is. */
    static Column plain(String name, String label) {
        return new Column(InfluxQl.identifier(name), label, Optional.empty(), Optional.empty(), Role.LINE);
    }

    Column in(Unit newUnit) {
        return new Column(expression, label, Optional.of(newUnit), tone, role);
    }

    Column toned(Tone newTone) {
        return new Column(expression, label, unit, Optional.of(newTone), role);
    }

    Column as(Role newRole) {
        return new Column(expression, label, unit, tone, newRole);
    }

    String select() {
        return expression + " AS " + InfluxQl.identifier(label);
    }
}
