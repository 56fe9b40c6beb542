package io.inferwatch.probes.gpu;

import io.inferwatch.schemas.GpuState;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the GPU probe did and dropped, written by its thread, read by any. Every kind is there from the start, at 0. */
final class GpuCounters {
    private final Map<GpuField, LongAdder> rejected = new EnumMap<>(GpuField.class);
    private final Map<CanaryResult, LongAdder> canaries = new EnumMap<>(CanaryResult.class);
    private final LongAdder samples = new LongAdder();
    private final LongAdder openings = new LongAdder();
    private final LongAdder xids = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private volatile Map<GpuState, Integer> devices = Map.of();

    GpuCounters() {
        for (GpuField field : GpuField.values()) {
            rejected.put(field, new LongAdder());
        }
        for (CanaryResult result : CanaryResult.values()) {
            canaries.put(result, new LongAdder());
        }
    }

    void rejected(GpuField field) {
        add(rejected, field);
    }

    void canary(CanaryResult result) {
        add(canaries, result);
    }

    void sampled(int count) {
        samples.add(count);
    }

    /** NVML was, or was to be, initialised. */
    void opened() {
        openings.increment();
    }

    void xid() {
        xids.increment();
    }

    /** A round took longer than the interval between rounds. */
    void overrun() {
        overruns.increment();
    }

    void devices(List<GpuState> states) {
        Map<GpuState, Integer> count = new EnumMap<>(GpuState.class);
        states.forEach(state -> count.merge(state, 1, Integer::sum));
        devices = count;
    }

    Map<GpuField, Long> rejected() {
        return sums(GpuField.class, rejected);
    }

    Map<CanaryResult, Long> canaries() {
        return sums(CanaryResult.class, canaries);
    }

    long samples() {
        return samples.sum();
    }

    long openings() {
        return openings.sum();
    }

    long xids() {
        return xids.sum();
    }

    long overruns() {
        return overruns.sum();
    }

    int devices(GpuState state) {
        return devices.getOrDefault(state, 0);
    }

    private static <E extends Enum<E>> void add(Map<E, LongAdder> counters, E constant) {
        LongAdder counter = counters.get(constant);
        if (counter != null) {
            counter.increment();
        }
    }

    private static <E extends Enum<E>> Map<E, Long> sums(Class<E> type, Map<E, LongAdder> counters) {
        Map<E, Long> now = new EnumMap<>(type);
        counters.forEach((constant, counter) -> now.put(constant, counter.sum()));
        return now;
    }
}
