package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the memory of a device went, from what its driver, its engine and its allocator tell. The readings are of different instants and
 * places, hence differences of them are estimates.
 *
 * @param usedBytes used by the driver's account
 * @param weightBytes weights; null where the engine does not tell
 * @param kvCacheBytes the whole KV cache, full or not; null where the engine does not tell
 * @param graphBytes CUDA graphs; null where the engine does not tell
 * @param allocator of the process that holds weights, cache and graphs; null where it does not tell
 */
public record DeviceMemory(
        long usedBytes,
        @Nullable Long weightBytes,
        @Nullable Long kvCacheBytes,
        @Nullable Long graphBytes,
        @Nullable AllocatorReading allocator) {

    /** What memory is used for. */
    public enum Part {
        /** The model's weights. */
        WEIGHTS,
        /** The KV cache. */
        KV_CACHE,
        /** Captured CUDA graphs. */
        GRAPHS,
        /** The allocator's memory beside these: activations, and whole segments kept for the next ones. */
        WORKSPACE,
        /** Inactive split bytes; where these are not told all that the allocator holds and does not use, which is no less. */
        FRAGMENTATION,
        /** The rest: contexts, communication, other processes, and what nobody tells of. */
        OTHER
    }

    /** Checks the amounts. */
    public DeviceMemory {
        Amounts.requireAtLeast(0, "usedBytes", usedBytes);
        requireAmount("weightBytes", weightBytes);
        requireAmount("kvCacheBytes", kvCacheBytes);
        requireAmount("graphBytes", graphBytes);
    }

    /**
     * The parts in bytes, which add up to what is used unless OTHER is clamped. A part that nobody tells of is absent and lies in OTHER; workspace
     * is told only where weights and cache are, for it would else be theirs.
     */
    public Map<Part, Figure> waterfall() {
        Map<Part, Figure> parts = new EnumMap<>(Part.class);
        putTold(parts, Part.WEIGHTS, weightBytes);
        putTold(parts, Part.KV_CACHE, kvCacheBytes);
        putTold(parts, Part.GRAPHS, graphBytes);
        if (allocator != null) {
            Long split = allocator.inactiveSplitBytes();
            double told = sum(parts);
            Figure fragmentation =
                    split == null ? Estimated.amount((double) allocator.freeBytes()) : new Measured((double) split);
            parts.put(Part.FRAGMENTATION, fragmentation);
            if (weightBytes != null && kvCacheBytes != null) {
                parts.put(Part.WORKSPACE, Estimated.amount(allocator.reservedBytes() - told - fragmentation.value()));
            }
        }
        parts.put(Part.OTHER, Estimated.amount(usedBytes - sum(parts)));
        return Collections.unmodifiableMap(parts);
    }

    private static double sum(Map<Part, Figure> parts) {
        return parts.values().stream().mapToDouble(Figure::value).sum();
    }

    private static void putTold(Map<Part, Figure> parts, Part part, @Nullable Long bytes) {
        if (bytes != null) {
            parts.put(part, new Measured((double) bytes));
        }
    }

    private static void requireAmount(String key, @Nullable Long bytes) {
        if (bytes != null) {
            Amounts.requireAtLeast(0, key, bytes);
        }
    }
}
