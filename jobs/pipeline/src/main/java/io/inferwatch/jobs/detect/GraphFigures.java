package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.graphs.CaptureCounts;
import io.inferwatch.analytics.graphs.GraphUse;
import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.FigureResult;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A replica's captures of CUDA graphs and the unrest of its batches within a minute. Captures before the minute in which the process first ran
 * steps are those at start-up; all later ones are lazy. In which order batches came is not told by their distribution: unrest is their variation.
 */
final class GraphFigures {
    private static final double NANOS = 1e-9;
    private static final double MICROS = 1e-6;
    private static final double NANOS_OF_A_MICRO = 1e3;

    private GraphFigures() {}

    /**
     * What a minute shows.
     *
     * @param newShapes that first ran in it
     * @param isLazy whether its captures came after the process had served
     */
    record Told(FigureResult figures, int newShapes, boolean isLazy) {}

    /** The figures, with what the minute adds to the memory; empty where the engine tells neither captures nor graphs nor batches. */
    static Optional<Told> of(ReplicaWindows windows, GraphMemory memory) {
        Optional<QuantileSketch> batches = windows.distribution(ReplicaWindows.OF_ENGINE, "batch_size");
        CaptureCounts captures = captures(windows);
        long graphSteps = windows.sum(ReplicaWindows.OF_ENGINE, "graph_steps");
        long eagerSteps = windows.sum(ReplicaWindows.OF_ENGINE, "eager_steps");
        if (batches.isEmpty() && captures.attempts() == 0 && graphSteps + eagerSteps == 0) {
            serve(windows, memory);
            return Optional.empty();
        }
        boolean isLazy = memory.hasServed();
        GraphUse use = GraphUse.of(captures, isLazy, graphSteps, eagerSteps);
        int newShapes = batches.map(sketch -> newShapes(sketch, memory)).orElse(0);
        FigureBuilder result = new FigureBuilder(
                        Measurement.GRAPH_CAPTURE, windows.engine().orElseThrow())
                .count(Field.START_UP_CAPTURES, use.startUp().attempts())
                .count(Field.START_UP_FAILURES, use.startUp().failures())
                .count(Field.LAZY_CAPTURES, use.lazy().attempts())
                .count(Field.LAZY_FAILURES, use.lazy().failures())
                .estimate(Field.LAZY_FAILURE_RATIO, use.lazy().failureShare())
                .value(Field.FALLBACK_RATIO, use.fallbackShare().orElse(Double.NaN))
                .value(Field.STEP_JITTER_SECONDS, stepJitterSeconds(windows).orElse(Double.NaN))
                .value(Field.FREE_MEMORY_RATIO, freeShare(windows).orElse(Double.NaN));
        batches.map(Moments::of).ifPresent(moments -> result.count(Field.BATCHES, moments.n())
                .count(Field.NEW_SHAPES, newShapes)
                .count(Field.SEEN_SHAPES, memory.seen().count())
                .value(Field.BATCH_MEAN, moments.mean())
                .value(Field.BATCH_VARIATION, Math.sqrt(moments.variance()) / moments.mean()));
        serve(windows, memory);
        return Optional.of(new Told(result.build(), newShapes, isLazy));
    }

    static CaptureCounts captures(ReplicaWindows windows) {
        long attempts = windows.sum(ReplicaWindows.OF_ENGINE, "graph_captures");
        long failures = windows.sum(ReplicaWindows.OF_ENGINE, "graph_capture_failures");
        // Growth of both is spread over panes to whole units, each by itself.
        return new CaptureCounts(Math.max(attempts, failures), failures);
    }

    /** Free device memory, of all. */
    static OptionalDouble freeShare(ReplicaWindows windows) {
        OptionalDouble free = windows.mean(ReplicaWindows.OF_GPUS, "gpu_memory_free");
        OptionalDouble all = windows.mean(ReplicaWindows.OF_GPUS, "gpu_memory");
        return free.isEmpty() || all.isEmpty() || all.getAsDouble() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(free.getAsDouble() / all.getAsDouble());
    }

    private static void serve(ReplicaWindows windows, GraphMemory memory) {
        boolean hasSteps = windows.sum(ReplicaWindows.OF_ENGINE, "graph_steps")
                        + windows.sum(ReplicaWindows.OF_ENGINE, "eager_steps")
                        + windows.sum(ReplicaWindows.OF_ENGINE, "engine_steps")
                > 0;
        if (hasSteps
                || windows.distribution(ReplicaWindows.OF_REQUESTS, "output_tokens")
                        .isPresent()) {
            memory.serve();
        }
    }

    /** Batch sizes that had not run before: up to a hundred each has a bucket of its own, beyond that some share one. */
    private static int newShapes(QuantileSketch batches, GraphMemory memory) {
        int[] count = new int[1];
        batches.forEachBucket((bucket, n) -> {
            long shape = bucket < 0 ? 0 : Math.round(LogBuckets.representative(bucket));
            if (shape > 0 && memory.seen().isFirst((int) Math.min(shape, Integer.MAX_VALUE))) {
                count[0]++;
            }
        });
        return count[0];
    }

    /** Standard deviation of steps: exact where the sum of their squares is told, else from the sketch's buckets. */
    private static OptionalDouble stepJitterSeconds(ReplicaWindows windows) {
        Optional<QuantileSketch> steps = windows.distribution(ReplicaWindows.OF_ENGINE, "step");
        if (steps.isEmpty() || steps.get().n() < 2) {
            return OptionalDouble.empty();
        }
        long squares = windows.sum(ReplicaWindows.OF_ENGINE, "step_squares");
        double n = steps.get().n();
        if (squares == 0) {
            return OptionalDouble.of(Math.sqrt(Moments.of(steps.get()).variance()) * NANOS);
        }
        double sumMicros = steps.get().sum() / NANOS_OF_A_MICRO;
        double variance = (squares - sumMicros * sumMicros / n) / (n - 1);
        return OptionalDouble.of(Math.sqrt(Math.max(0, variance)) * MICROS);
    }
}
