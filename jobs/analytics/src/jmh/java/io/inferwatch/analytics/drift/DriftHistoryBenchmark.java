package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.DriftHistory.Step;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/**
 * What a window of a key costs as a job does it: the history from its bytes, the window from its bytes, the verdict, and the history's
 * bytes again. 10,000 keys are to take less than a second, 100 us each. A step is one of sixteen in turn, so that all sizes of groups are
 * looked at as often as they come.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class DriftHistoryBenchmark {
    private static final Statistic P99 = new Statistic.Quantile(0.99);
    private static final long WINDOW_MICROS = 60_000_000;
    private static final int CYCLE = 16;

    /** A key with a full baseline, in sixteen states one window apart. */
    @State(Scope.Benchmark)
    public static class Key {
        /** Values of a window. */
        @Param({"200", "1000", "20000"})
        public int n;

        /** Kinds of traffic that are told apart. */
        @Param({"1", "12"})
        public int kinds;

        final List<byte[]> states = new ArrayList<>();
        final List<Map<String, byte[]>> windows = new ArrayList<>();
        long[] endMicros = new long[CYCLE];
        int next;

        /** Draws them. */
        @Setup
        public void draw() {
            SplittableRandom random = new SplittableRandom(1);
            DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
            long end = 0;
            int learning = 12 + 3 * 16;
            for (int unit = 0; unit < learning + CYCLE; unit++) {
                for (int left = n < 368 ? 2 : 1; left > 0; left--) {
                    end += WINDOW_MICROS;
                    Map<String, byte[]> window = window(random);
                    if (unit >= learning && left == 1) {
                        endMicros[unit - learning] = end;
                        states.add(history.toBytes());
                        windows.add(window);
                    }
                    history.observe(decoded(window), end, Optional.empty(), P99, DriftRule.SLOWER);
                }
            }
            long bytes = states.stream().mapToLong(state -> state.length).sum() / CYCLE;
            System.out.println("state: " + bytes + " bytes on average");
        }

        private Map<String, byte[]> window(SplittableRandom random) {
            Map<String, byte[]> window = new HashMap<>();
            for (int kind = 0; kind < kinds; kind++) {
                QuantileSketch sketch = Latencies.LOGNORMAL.sample(Math.max(1, n / kinds), 1 + 0.1 * kind, random);
                window.put("kind " + kind, SketchEncoding.encode(sketch));
            }
            return window;
        }
    }

    private static Values decoded(Map<String, byte[]> window) {
        Map<String, QuantileSketch> byKind = new HashMap<>();
        window.forEach((kind, bytes) -> byKind.put(kind, SketchEncoding.decode(bytes)));
        return new Values(byKind);
    }

    /** The whole step. */
    @Benchmark
    public byte[] step(Key key) {
        int i = key.next++ % CYCLE;
        DriftHistory history = DriftHistory.ofBytes(key.states.get(i));
        Step step =
                history.observe(decoded(key.windows.get(i)), key.endMicros[i], Optional.empty(), P99, DriftRule.SLOWER);
        if (step.judged().isEmpty()) {
            throw new IllegalStateException("every unit is judged");
        }
        return history.toBytes();
    }

    /** What of it is to read and to write the state alone. */
    @Benchmark
    public byte[] bytesAlone(Key key) {
        return DriftHistory.ofBytes(key.states.get(key.next++ % CYCLE)).toBytes();
    }
}
