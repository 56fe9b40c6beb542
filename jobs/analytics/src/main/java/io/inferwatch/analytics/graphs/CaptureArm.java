package io.inferwatch.analytics.graphs;

import java.util.List;

/**
 * The replicas that run under one policy of batching or padding.
 *
 * @param replicas lazy captures of each replica that had any
 */
public record CaptureArm(List<CaptureCounts> replicas) {
    /** A copy of its own, without replicas that captured nothing. */
    public CaptureArm {
        replicas = replicas.stream().filter(counts -> counts.attempts() > 0).toList();
    }

    /** Captures of all replicas. */
    public CaptureCounts captures() {
        return replicas.stream().reduce(CaptureCounts.NONE, CaptureCounts::plus);
    }
}
