package io.inferwatch.jobs.health;

import java.util.Optional;

/** The metrics of the jobs that make up a health sample. Where several subtasks have one, they are put together as it says. */
public enum HealthMetric {
    REQUESTS("requests_total", Merge.SUM, "Requests read"),
    HEARTBEATS("heartbeats_total", Merge.SUM, "Heartbeats read"),
    REPEATS("repeats_total", Merge.SUM, "Requests dropped because they were seen before"),
    LATE("late_total", Merge.SUM, "Requests that went to the late topic"),
    DEAD_LETTERS("dead_letters_total", Merge.SUM, "Records that went to the dead letters"),
    TOMBSTONES("tombstones_total", Merge.SUM, "Records without a value"),
    STREAMS("streams", Merge.MAX, "Publishers' streams known"),
    MISSING("missing_events", Merge.SUM, "Events that streams skipped and that have not come yet"),
    LOST("lost_events", Merge.SUM, "Events given up for lost"),
    SKEWED_HOSTS("skewed_hosts", Merge.SUM, "Hosts whose clock is over 2 s off"),
    OVER_LIMIT("over_limit_total", Merge.SUM, "Partials counted under other"),
    WINDOWS("windows_total", Merge.SUM, "Windows published"),
    REVISIONS("revisions_total", Merge.SUM, "Windows published again because events came late"),
    PENDING("pendingRecords", Merge.SUM, "lag_records", "Records in Kafka that are still to be read"),
    POINTS_WRITTEN("points_written_total", Merge.SUM, "Points that InfluxDB took"),
    POINTS_REFUSED("points_refused_total", Merge.SUM, "Points that InfluxDB refused"),
    WRITE_RETRIES("write_retries_total", Merge.SUM, "Write requests tried again"),
    UNACKNOWLEDGED("unacknowledged_points", Merge.SUM, "Points waiting for InfluxDB"),
    LAST_WRITE("last_write_milliseconds", Merge.MAX, "Time that the last write request took"),
    CHECKPOINT_ID("lastCompletedCheckpointId", Merge.MAX, "checkpoint_id", "Number of the last complete checkpoint"),
    CHECKPOINT_DURATION(
            "lastCheckpointDuration",
            Merge.MAX,
            "checkpoint_duration_milliseconds",
            "Time that the last checkpoint took"),
    CHECKPOINT_SIZE("lastCheckpointSize", Merge.MAX, "checkpoint_bytes", "Size of the last checkpoint"),
    CHECKPOINT_FAILURES("numberOfFailedCheckpoints", Merge.MAX, "checkpoint_failures_total", "Checkpoints that failed"),
    RESTARTS("numRestarts", Merge.MAX, "restarts_total", "Restarts of the job");

    /** How the values of several subtasks are put together. */
    enum Merge {
        SUM,
        MAX;

        double of(double a, double b) {
            return this == SUM ? a + b : Math.max(a, b);
        }
    }

    private final String flinkName;
    private final Merge merge;
    private final String label;
    private final String help;

    HealthMetric(String name, Merge merge, String help) {
        this(name, merge, name, help);
    }

    HealthMetric(String flinkName, Merge merge, String label, String help) {
        this.flinkName = flinkName;
        this.merge = merge;
        this.label = label;
        this.help = help;
    }

    /** The metric that Flink knows by that name, if it is one of ours. */
    static Optional<HealthMetric> ofFlinkName(String name) {
        for (HealthMetric metric : values()) {
            if (metric.flinkName.equals(name)) {
                return Optional.of(metric);
            }
        }
        return Optional.empty();
    }

    Merge merge() {
        return merge;
    }

    /** The field of {@code inferwatch_health} points. */
    public String label() {
        return label;
    }

    /** What it says, for people. */
    public String help() {
        return help;
    }
}
