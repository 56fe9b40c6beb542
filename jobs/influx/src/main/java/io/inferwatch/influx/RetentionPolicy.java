package io.inferwatch.influx;

import java.time.Duration;

/**
 * How long points are kept, by their resolution. Shards are chosen so that some tens of them exist: a policy drops whole shards, and
 * a query opens each one that its time range touches.
 */
public enum RetentionPolicy {
    /** Windows of ten seconds, numbers only. */
    R10S("r10s", Duration.ofDays(7), Duration.ofDays(1)),
    /** Windows of one minute, with sketches; Inferwatch's own health. The database's default. */
    R1M("r1m", Duration.ofDays(30), Duration.ofDays(1)),
    /** Windows of one hour, and alerts. */
    R1H("r1h", Duration.ofDays(2 * 364), Duration.ofDays(28)),
    /** Synthetic runs in every resolution, told apart by the tag {@code window}. */
    RUNS("runs", Duration.ofDays(30), Duration.ofDays(1));

    /** The policy of a query or write that names none. */
    public static final RetentionPolicy DEFAULT = R1M;

    private final String policyName;
    private final Duration keep;
    private final Duration shard;

    RetentionPolicy(String policyName, Duration keep, Duration shard) {
        this.policyName = policyName;
        this.keep = keep;
        this.shard = shard;
    }

    /** Its name in 1.x, and the second part of the bucket's in 2.x. */
    public String policyName() {
        return policyName;
    }

    /** How long a point is kept at least. */
    public Duration keep() {
        return keep;
    }

    /** The time that one shard spans. */
    public Duration shard() {
        return shard;
    }
}
