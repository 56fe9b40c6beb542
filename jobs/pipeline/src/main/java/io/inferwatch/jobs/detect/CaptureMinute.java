package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.graphs.CaptureCounts;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Optional;

/**
 * A replica's minute on its way to the study of failed captures.
 *
 * @param model whose replicas are studied together
 * @param endMicros end of the minute, epoch microseconds
 * @param batches whose sizes are known
 * @param batchMean their mean; 0 without any
 * @param batchVariance over n - 1
 * @param freeShare of device memory, on average; not a number where nobody tells
 * @param load filled places of the batch; not a number where nobody tells
 * @param upMicros since the process came up
 */
public record CaptureMinute(
        String model,
        String version,
        String replica,
        long endMicros,
        long batches,
        double batchMean,
        double batchVariance,
        int newShapes,
        double freeShare,
        double load,
        long upMicros,
        long captures,
        long failures) {

    /** The minute's own, of figures that were made of the same windows; newShapes are those that the memory noted with it. */
    static CaptureMinute of(ReplicaWindows windows, GraphMemory memory, int newShapes, boolean isLazy) {
        WindowReading engine = new WindowReading(windows.engine().orElseThrow());
        Optional<QuantileSketch> sizes = windows.distribution(ReplicaWindows.OF_ENGINE, "batch_size");
        Moments moments = sizes.map(Moments::of).orElse(new Moments(0, 0, 0));
        CaptureCounts lazy = isLazy ? GraphFigures.captures(windows) : CaptureCounts.NONE;
        return new CaptureMinute(
                engine.dimension("model"),
                engine.dimension("version"),
                engine.dimension("replica"),
                engine.window().getWindowEndMicros(),
                moments.n(),
                moments.mean(),
                moments.variance(),
                newShapes,
                GraphFigures.freeShare(windows).orElse(Double.NaN),
                windows.distribution(ReplicaWindows.OF_ENGINE, "batch_fill")
                        .map(fill -> fill.mean() / 1e6)
                        .orElse(Double.NaN),
                memory.lastEndMicros() - memory.upSinceMicros(),
                lazy.attempts(),
                lazy.failures());
    }
}
