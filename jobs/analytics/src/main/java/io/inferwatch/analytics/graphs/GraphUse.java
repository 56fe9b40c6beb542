package io.inferwatch.analytics.graphs;

import java.util.OptionalDouble;

/**
 * A replica's graphs over some time. Captures at start-up and later ones are different things: the former take a fixed list of sizes before
 * there is traffic, so that no jitter can make them fail, and memory can; the latter take each shape when it first comes.
 *
 * @param startUp captures before the first request since the process began
 * @param lazy captures since
 * @param graphSteps steps that ran as a graph
 * @param eagerSteps steps that fell back to running without
 */
public record GraphUse(CaptureCounts startUp, CaptureCounts lazy, long graphSteps, long eagerSteps) {
    /** Nothing. */
    public static final GraphUse NONE = new GraphUse(CaptureCounts.NONE, CaptureCounts.NONE, 0, 0);

    /** Checks the numbers. */
    public GraphUse {
        if (graphSteps < 0 || eagerSteps < 0) {
            throw new IllegalArgumentException(
                    "graphSteps, eagerSteps: must be at least 0, found " + graphSteps + " and " + eagerSteps);
        }
    }

    /**
     * What happened between two samples of a replica.
     *
     * @param hasServed whether the process had had a request before: all captures between are lazy then, and at start-up else
     */
    public static GraphUse of(CaptureCounts captures, boolean hasServed, long graphSteps, long eagerSteps) {
        return hasServed
                ? new GraphUse(CaptureCounts.NONE, captures, graphSteps, eagerSteps)
                : new GraphUse(captures, CaptureCounts.NONE, graphSteps, eagerSteps);
    }

    /** Both together. */
    public GraphUse plus(GraphUse other) {
        return new GraphUse(
                startUp.plus(other.startUp),
                lazy.plus(other.lazy),
                graphSteps + other.graphSteps,
                eagerSteps + other.eagerSteps);
    }

    /** The share of steps without a graph; empty without steps. */
    public OptionalDouble fallbackShare() {
        long steps = graphSteps + eagerSteps;
        return steps == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) eagerSteps / steps);
    }
}
