package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.health.HealthMetric;
import java.time.Duration;
import java.util.List;

/** Inferwatch's own health: whether what the other dashboards show is whole and fresh. */
final class HealthDashboard {
    static final String UID = "inferwatch-health";
    private static final String NO_HEALTH =
            "No reading yet. The jobs report every few seconds through Kafka: without any, a job is down.";
    private static final Source HEALTH =
            Source.of(RetentionPolicy.R1M, Measurement.HEALTH.measurementName(), Duration.ofSeconds(10));

    private HealthDashboard() {}

    static Dashboard of() {
        return new Dashboard(
                UID,
                "Inferwatch's own health",
                "Whether what the other dashboards show is whole and fresh: what was read, dropped, late or refused, and how far behind it is.",
                "now-30m",
                List.of(),
                List.of(dropped(), flow(), jobs()));
    }

    private static Row dropped() {
        return Row.of(
                "Nothing should be lost",
                count("Late", HealthMetric.LATE, "They are in the topic inferwatch.late, for a backfill."),
                count(
                        "Dead letters",
                        HealthMetric.DEAD_LETTERS,
                        "Each carries its place and the reason, in the topic inferwatch.dead-letters."),
                count("Missing", HealthMetric.MISSING, "Some may still come."),
                count("Lost", HealthMetric.LOST, "They are in no window."),
                count("Refused points", HealthMetric.POINTS_REFUSED, "They are dead letters as well."),
                count("Clocks off", HealthMetric.SKEWED_HOSTS, "Their events count, at Kafka's time."));
    }

    private static Row flow() {
        return Row.of(
                "Flow",
                overTime(
                        "Records behind",
                        "Records in Kafka that are still to be read, by job and operator. What grows steadily will make every panel late.",
                        HealthMetric.PENDING),
                overTime(
                        "Points waiting for InfluxDB",
                        "Points that were sent and not confirmed. When InfluxDB is down they wait here, and then in Kafka.",
                        HealthMetric.UNACKNOWLEDGED),
                overTime(
                                "Last write",
                                "Time that the last write request took. Above a second, InfluxDB has too little of something.",
                                HealthMetric.LAST_WRITE)
                        .in(Unit.MILLISECONDS),
                overTime(
                        "Requests read",
                        "Requests read since the job started. A line that stays flat under traffic is a job that stands.",
                        HealthMetric.REQUESTS));
    }

    private static Row jobs() {
        return Row.of(
                "Jobs",
                overTime(
                                "Checkpoint duration",
                                "Time that the last checkpoint took. After a failure a job goes on from the last one.",
                                HealthMetric.CHECKPOINT_DURATION)
                        .in(Unit.MILLISECONDS),
                overTime(
                                "Checkpoint size",
                                "Size of the last checkpoint: it grows with the live series.",
                                HealthMetric.CHECKPOINT_SIZE)
                        .in(Unit.BYTES),
                Panel.of(
                                Kind.TABLE,
                                "Last readings",
                                "The last reading of each job and operator.",
                                NO_HEALTH,
                                new Query.OverRange(
                                        HEALTH,
                                        List.of(
                                                last(HealthMetric.REQUESTS, "Read"),
                                                last(HealthMetric.REPEATS, "Repeats"),
                                                last(HealthMetric.WINDOWS, "Windows"),
                                                last(HealthMetric.REVISIONS, "Revisions"),
                                                last(HealthMetric.OVER_LIMIT, "Under other"),
                                                last(HealthMetric.POINTS_WRITTEN, "Points"),
                                                last(HealthMetric.WRITE_RETRIES, "Retries"),
                                                last(HealthMetric.CHECKPOINT_FAILURES, "Failed checkpoints"),
                                                last(HealthMetric.RESTARTS, "Restarts")),
                                        List.of(Field.COMPONENT, Field.INSTANCE)))
                        .sized(24, 5));
    }

    private static Panel count(String title, HealthMetric metric, String advice) {
        return Panel.of(
                        Kind.STAT,
                        title,
                        metric.help() + ", since the job started. " + advice,
                        NO_HEALTH,
                        new Query.OverTime(HEALTH, List.of(Column.of(MAX, metric.label(), title)), List.of()))
                .judgedBy(Thresholds.badIfAny());
    }

    private static Panel overTime(String title, String description, HealthMetric metric) {
        return Panel.of(
                Kind.TIME_SERIES,
                title,
                description,
                NO_HEALTH,
                new Query.OverTime(
                        HEALTH,
                        List.of(Column.of(MAX, metric.label(), title)),
                        List.of(Field.COMPONENT, Field.INSTANCE)));
    }

    private static Column last(HealthMetric metric, String label) {
        return Column.of(LAST, metric.label(), label);
    }
}
