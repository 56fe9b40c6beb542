package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.drift.Moments;
import java.util.List;

/**
 * The replicas that run under one policy of batching or padding.
 *
 * @param policy its name
 * @param replicas lazy captures of each replica that had any
 * @param stepNanos durations of their steps
 */
public record CaptureArm(String policy, List<CaptureCounts> replicas, Moments stepNanos) {
    /** A copy of its own, without replicas that captured nothing. */
    public CaptureArm {
        replicas = replicas.stream().filter(counts -> counts.attempts() > 0).toList();
    }

    /** Captures of all replicas. */
    public CaptureCounts captures() {
        return replicas.stream().reduce(CaptureCounts.NONE, CaptureCounts::plus);
    }

    /** Standard deviation of the durations of steps. */
    public double jitterNanos() {
        return Math.sqrt(stepNanos.variance());
    }
}
