package io.inferwatch.analytics.graphs;

import java.util.Optional;

/**
 * How restless the batches of a replica are within a window.
 *
 * @param steps of the engine
 * @param mean requests of a step
 * @param variation coefficient of variation of that
 * @param meanChange requests by which a step differs from the one before, on average: what order tells and variation does not
 * @param newShapes padded shapes that had not run before, each one a capture where graphs are captured lazily
 * @param paddingShare places that hold no request, of all that run
 */
public record BatchJitter(
        long steps, double mean, double variation, double meanChange, int newShapes, double paddingShare) {

    /**
     * The jitter of steps in their order; empty with fewer than two.
     *
     * @param batches requests of each step, each above 0
     * @param seen takes note of the shapes, in any case
     */
    public static Optional<BatchJitter> of(int[] batches, CaptureSizes sizes, SeenShapes seen) {
        int newShapes = 0;
        long sum = 0;
        long places = 0;
        long changes = 0;
        for (int i = 0; i < batches.length; i++) {
            int shape = sizes.padded(batches[i]);
            newShapes += seen.isFirst(shape) ? 1 : 0;
            sum += batches[i];
            places += shape;
            changes += i == 0 ? 0 : Math.abs(batches[i] - batches[i - 1]);
        }
        if (batches.length < 2) {
            return Optional.empty();
        }
        double mean = (double) sum / batches.length;
        double squares = 0;
        for (int batch : batches) {
            squares += (batch - mean) * (batch - mean);
        }
        return Optional.of(new BatchJitter(
                batches.length,
                mean,
                Math.sqrt(squares / (batches.length - 1)) / mean,
                (double) changes / (batches.length - 1),
                newShapes,
                (double) (places - sum) / places));
    }
}
