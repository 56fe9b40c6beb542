package io.inferwatch.analytics.quantile;

import com.datadoghq.sketch.ddsketch.DDSketch;
import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;
import com.datadoghq.sketch.ddsketch.store.UnboundedSizeDenseStore;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the sketch costs, beside sketches-java's DDSketch with the same buckets in the same run. Values are lognormal with sigma 0.8
 * around 60,000; "many" spreads them over 5,000 sketches, as a job with as many cells does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class QuantileSketchBenchmark {
    private static final int VALUES = 100_000;
    private static final int SKETCHES = 5_000;

    /** Values, drawn once. */
    @State(Scope.Benchmark)
    public static class Latencies {
        long[] values;
        int[] sketchOf;

        /** Draws them. */
        @Setup
        public void draw() {
            SplittableRandom random = new SplittableRandom(1);
            values = new long[VALUES];
            sketchOf = new int[VALUES];
            for (int i = 0; i < VALUES; i++) {
                double gaussian =
                        Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
                values[i] = 1 + (long) Math.exp(11 + 0.8 * gaussian);
                sketchOf[i] = random.nextInt(SKETCHES);
            }
        }
    }

    /** Two sketches of n values each, and the bytes of one. */
    @State(Scope.Benchmark)
    public static class Filled {
        /** Values in each. */
        @Param({"20", "1000", "20000"})
        public int n;

        QuantileSketch sketch;
        DDSketch reference;
        byte[] bytes;

        /** Fills them. */
        @Setup
        public void fill(Latencies latencies) {
            sketch = new QuantileSketch();
            reference = reference();
            for (int i = 0; i < n; i++) {
                sketch.add(latencies.values[i]);
                reference.accept(latencies.values[i]);
            }
            bytes = SketchEncoding.encode(sketch);
        }
    }

    /** The index alone. */
    @Benchmark
    @OperationsPerInvocation(VALUES)
    public long index(Latencies latencies) {
        long sum = 0;
        for (long value : latencies.values) {
            sum += LogBuckets.index(value);
        }
        return sum;
    }

    /** Into one sketch. */
    @Benchmark
    @OperationsPerInvocation(VALUES)
    public QuantileSketch insert(Latencies latencies) {
        QuantileSketch sketch = new QuantileSketch();
        for (long value : latencies.values) {
            sketch.add(value);
        }
        return sketch;
    }

    /** Into one DDSketch. */
    @Benchmark
    @OperationsPerInvocation(VALUES)
    public DDSketch insertDatadog(Latencies latencies) {
        DDSketch sketch = reference();
        for (long value : latencies.values) {
            sketch.accept(value);
        }
        return sketch;
    }

    /** Into 5,000 new sketches, 20 values each. */
    @Benchmark
    @OperationsPerInvocation(VALUES)
    public QuantileSketch[] insertMany(Latencies latencies) {
        QuantileSketch[] sketches = new QuantileSketch[SKETCHES];
        for (int i = 0; i < VALUES; i++) {
            int at = latencies.sketchOf[i];
            QuantileSketch sketch = sketches[at];
            if (sketch == null) {
                sketch = new QuantileSketch();
                sketches[at] = sketch;
            }
            sketch.add(latencies.values[i]);
        }
        return sketches;
    }

    /** Into 5,000 new DDSketches, 20 values each. */
    @Benchmark
    @OperationsPerInvocation(VALUES)
    public DDSketch[] insertManyDatadog(Latencies latencies) {
        DDSketch[] sketches = new DDSketch[SKETCHES];
        for (int i = 0; i < VALUES; i++) {
            int at = latencies.sketchOf[i];
            DDSketch sketch = sketches[at];
            if (sketch == null) {
                sketch = reference();
                sketches[at] = sketch;
            }
            sketch.accept(latencies.values[i]);
        }
        return sketches;
    }

    /** One sketch into an empty and then into a filled one. */
    @Benchmark
    @OperationsPerInvocation(2)
    public QuantileSketch merge(Filled filled) {
        QuantileSketch all = new QuantileSketch();
        all.merge(filled.sketch);
        all.merge(filled.sketch);
        return all;
    }

    /** The same with DDSketch. */
    @Benchmark
    @OperationsPerInvocation(2)
    public DDSketch mergeDatadog(Filled filled) {
        DDSketch all = reference();
        all.mergeWith(filled.reference);
        all.mergeWith(filled.reference);
        return all;
    }

    /** To bytes. */
    @Benchmark
    public byte[] encode(Filled filled) {
        return SketchEncoding.encode(filled.sketch);
    }

    /** From bytes. */
    @Benchmark
    public QuantileSketch decode(Filled filled) {
        return SketchEncoding.decode(filled.bytes);
    }

    /** Limits of P99. */
    @Benchmark
    public Object interval(Filled filled) {
        return QuantileInterval.of(filled.sketch, 0.99, 0.95);
    }

    private static DDSketch reference() {
        return new DDSketch(new LogarithmicMapping(LogBuckets.GAMMA, 0), UnboundedSizeDenseStore::new);
    }
}
