package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a verdict costs a key and a window: 10,000 keys are to take less than a second, 100 us each. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class QuantileDriftBenchmark {
    private static final QuantileDrift P99 = new QuantileDrift(0.99, 2, DriftRule.SLOWER);

    /** A key: its past 24 windows and its latest 16, of n values each. */
    @State(Scope.Benchmark)
    public static class Key {
        /** Values of a window. */
        @Param({"1000", "20000"})
        public int n;

        QuantileDrift.Baseline baseline;
        List<Double> logQuantiles;
        byte[] pooled;
        byte[] window;
        List<QuantileSketch> windows;

        /** Draws them. */
        @Setup
        public void draw() {
            SplittableRandom random = new SplittableRandom(1);
            QuantileSketch past = Latencies.LOGNORMAL.sample(24 * n, 1, random);
            pooled = SketchEncoding.encode(past);
            logQuantiles = Collections.nCopies(24, Math.log(past.quantile(0.99)));
            baseline = P99.baseline(past, logQuantiles);
            windows = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                windows.add(Latencies.LOGNORMAL.sample(n, 1.01, random));
            }
            window = SketchEncoding.encode(windows.get(0));
        }
    }

    /** One window, all in memory. */
    @Benchmark
    public Finding window(Key key) {
        return P99.of(key.baseline, key.windows.get(0));
    }

    /** One window and its baseline from their bytes, as a job keeps them. */
    @Benchmark
    public Finding windowFromBytes(Key key) {
        QuantileDrift.Baseline baseline = P99.baseline(SketchEncoding.decode(key.pooled), key.logQuantiles);
        return P99.of(baseline, SketchEncoding.decode(key.window));
    }

    /** One, two, four, eight and sixteen windows, since nothing can be said. */
    @Benchmark
    public QuantileDrift.United sixteenWindows(Key key) {
        return P99.ofUnited(key.baseline, key.windows);
    }
}
