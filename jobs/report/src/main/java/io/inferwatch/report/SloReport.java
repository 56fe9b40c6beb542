package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How objectives stand, as their latest minute in a period tells it.
 *
 * @param objectives those that are broken first, then by name and series
 */
record SloReport(Instant from, Instant to, List<Standing> objectives) {
    private static final List<String> FIELDS = List.of(
            Field.SLO_STATE,
            Field.SLO_TARGET,
            Field.SLO_ATTAINED,
            Field.SLO_BUDGET_LEFT,
            Field.SLO_BURN,
            Field.SLO_EXHAUSTED_IN,
            Field.SLO_FIRING,
            Field.SLO_METRIC,
            Field.SLO_UNIT,
            Field.SLO_EFFECTIVE_THRESHOLD);

    SloReport {
        objectives = List.copyOf(objectives);
    }

    /**
     * An objective of one series; what is not known is empty.
     *
     * @param series the dimensions of its view
     * @param state OK, BREACH, NO_DATA or PARTIAL
     * @param attained share that was good in the period so far
     * @param burn how many times as fast as it may the last hour burns the budget
     * @param spentInSeconds when the budget is spent if that goes on
     * @param firing conditions that fire
     * @param threshold where values are counted, in the unit
     */
    record Standing(
            String slo,
            String service,
            String view,
            Map<String, String> series,
            String state,
            OptionalDouble target,
            OptionalDouble attained,
            OptionalDouble budgetLeft,
            OptionalDouble burn,
            OptionalDouble spentInSeconds,
            String firing,
            Optional<String> metric,
            Optional<String> unit,
            OptionalDouble threshold,
            Instant at) {
        private static Standing of(InfluxSeries found, InfluxRow row) {
            Map<String, String> series = new TreeMap<>(found.tags());
            String slo = taken(series, Field.SLO);
            String service = taken(series, Field.SERVICE);
            String view = taken(series, Field.VIEW);
            series.values().removeIf(String::isEmpty);
            return new Standing(
                    slo,
                    service,
                    view,
                    series,
                    row.text(Field.SLO_STATE).orElse("unknown"),
                    row.real(Field.SLO_TARGET),
                    row.real(Field.SLO_ATTAINED),
                    row.real(Field.SLO_BUDGET_LEFT),
                    row.real(Field.SLO_BURN),
                    row.real(Field.SLO_EXHAUSTED_IN),
                    row.text(Field.SLO_FIRING).orElse(""),
                    row.text(Field.SLO_METRIC),
                    row.text(Field.SLO_UNIT),
                    row.real(Field.SLO_EFFECTIVE_THRESHOLD),
                    TimeText.ofMicros(row.timeMicros()));
        }

        private static String taken(Map<String, String> tags, String name) {
            String value = tags.remove(name);
            return value == null ? "" : value;
        }

        boolean isBroken() {
            return state.equals("BREACH");
        }
    }

    /** Whether some objective is broken. */
    boolean hasBroken() {
        return objectives.stream().anyMatch(Standing::isBroken);
    }

    /** Reads the latest point of each objective and series that lies in the period. */
    static SloReport read(Instant from, Instant to, InfluxReader reader) {
        List<Standing> standings = new ArrayList<>();
        for (InfluxSeries series : reader.query(RetentionPolicy.R1M, query(from, to))) {
            series.rows().forEach(row -> standings.add(Standing.of(series, row)));
        }
        standings.sort(Comparator.comparing((Standing one) -> !one.isBroken())
                .thenComparing(Standing::slo)
                .thenComparing(one -> one.series().toString()));
        return new SloReport(from, to, standings);
    }

    /** By their names: of a period in which nothing has a field, a star would not name it. */
    private static String query(Instant from, Instant to) {
        return "SELECT " + FIELDS.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ")) + " FROM "
                + InfluxQl.identifier(Measurement.SLO.measurementName())
                + " WHERE time > " + InfluxQl.instant(TimeText.micros(from))
                + " AND time <= " + InfluxQl.instant(TimeText.micros(to))
                + " GROUP BY * ORDER BY time DESC LIMIT 1";
    }
}
