package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long the boundaries take to be found, beside the same recursion without divide and conquer. */
@Tag("slow")
class OptimalBoundariesLongTest {
    private static final int COUNT = 16;

    @Test
    void divideAndConquerIsWorthItSeed1() throws IOException {
        QuantileSketch sketch = new QuantileSketch();
        for (long length = 1; length <= 80_000; length++) {
            sketch.add(length);
        }
        LengthHistogram cells = LengthHistogram.of(sketch);
        assertThat(cells.cells()).isBetween(900, 1_100);
        SortedMap<Long, Long> lengths = OptimalBoundariesTest.lognormal(30_000, new SplittableRandom(1));
        LengthHistogram exact = LengthHistogram.of(lengths);
        double sketchMillis = medianMillis(41, () -> OptimalBoundaries.of(cells, COUNT));
        double exactMillis = medianMillis(41, () -> OptimalBoundaries.of(exact, COUNT));
        double quadraticMillis = medianMillis(3, () -> OptimalBoundariesTest.quadratic(lengths, COUNT));
        Files.writeString(
                Path.of("target", "memory-speed.txt"),
                String.format(
                        Locale.ROOT,
                        "%d boundaries: %d cells %.2f ms, %d lengths %.2f ms, without divide and conquer %.1f ms%n",
                        COUNT,
                        cells.cells(),
                        sketchMillis,
                        exact.cells(),
                        exactMillis,
                        quadraticMillis));
        assertThat(quadraticMillis).isGreaterThan(5 * exactMillis);
    }

    /** After as many runs for the compiler. */
    private static double medianMillis(int runs, Runnable task) {
        double[] millis = new double[runs];
        for (int i = 0; i < 2 * runs; i++) {
            long start = System.nanoTime();
            task.run();
            millis[i % runs] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(millis);
        return millis[runs / 2];
    }
}
