package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.MAX;

import io.inferwatch.influx.Statistic;
import java.util.List;

/** Columns that several dashboards have. */
final class Columns {
    private Columns() {}

    /**
     * P50 and P99 with the band of its confidence limits. Where an interval holds several windows, the greatest of each is taken: quantiles must not be
     * averaged, and so low stays below P99 and P99 below high.
     */
    static List<Column> medianAndTail(Stored stored, String metric) {
        return List.of(
                Column.of(MAX, stored.field(metric, Statistic.P99_LOW), "P99 low")
                        .toned(Tone.TAIL)
                        .as(Column.Role.BAND_LOW),
                Column.of(MAX, stored.field(metric, Statistic.P99_HIGH), "P99 high")
                        .toned(Tone.TAIL)
                        .as(Column.Role.BAND_HIGH),
                Column.of(MAX, stored.field(metric, Statistic.P50), "P50").toned(Tone.CALM),
                Column.of(MAX, stored.field(metric, Statistic.P99), "P99").toned(Tone.TAIL));
    }

    /** A line at an objective, without judging what is below. */
    static Thresholds limit(double value) {
        return new Thresholds(Tone.CALM, List.of(new Thresholds.Step(value, Tone.BAD)), true);
    }
}
