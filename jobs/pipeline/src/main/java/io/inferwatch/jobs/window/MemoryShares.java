package io.inferwatch.jobs.window;

import io.inferwatch.analytics.memory.AllocatorReading;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.memory.KvCacheReading;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.catalogue.DerivedValue;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** Shares of memory that one sample tells by itself. Counters that contradict each other tell none. */
final class MemoryShares {
    private static final double MILLION = 1e6;

    private MemoryShares() {}

    /** The share in millionths, or {@link RequestRow#ABSENT}. */
    static long number(DerivedValue value, SpecificRecord sample) {
        if (isContradictory(sample)) {
            return RequestRow.ABSENT;
        }
        Optional<Measured> share = sample instanceof GpuSample gpu
                ? ofAllocator(value, gpu)
                : sample instanceof EngineSample engine ? ofKvCache(value, engine) : Optional.empty();
        return share.map(measured -> Math.round(MILLION * measured.value())).orElse(RequestRow.ABSENT);
    }

    /** Whether the allocator's or the KV cache's counters cannot be those of one instant. */
    static boolean isContradictory(SpecificRecord sample) {
        try {
            if (sample instanceof GpuSample gpu) {
                var unused = allocator(gpu);
            } else if (sample instanceof EngineSample engine) {
                for (DerivedValue value : DerivedValue.values()) {
                    var unused = ofKvCache(value, engine);
                }
            }
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private static Optional<Measured> ofAllocator(DerivedValue value, GpuSample gpu) {
        Optional<AllocatorReading> reading = allocator(gpu);
        return switch (value) {
            case CACHE_SHARE -> reading.flatMap(AllocatorReading::cacheShare);
            case SPLIT_SHARE -> reading.flatMap(AllocatorReading::splitShare);
            case EXTERNAL_SHARE -> reading.flatMap(AllocatorReading::external);
            case UNUSABLE_SHARE ->
                reading.flatMap(allocator -> gpu.getUnusableFreeBytes() == null
                        ? Optional.empty()
                        : share(gpu.getUnusableFreeBytes(), allocator.freeBytes()));
            case KV_USE, KV_WASTE, KV_STRANDED -> Optional.empty();
        };
    }

    private static Optional<AllocatorReading> allocator(GpuSample gpu) {
        Long allocated = gpu.getAllocatedBytes();
        Long reserved = gpu.getAllocatorReservedBytes();
        if (allocated == null || reserved == null) {
            return Optional.empty();
        }
        AllocatorReading reading =
                new AllocatorReading(allocated, reserved, gpu.getInactiveSplitBytes(), gpu.getLargestFreeBlockBytes());
        Long unusable = gpu.getUnusableFreeBytes();
        if (unusable != null) {
            var unused = share(unusable, reading.freeBytes());
        }
        return Optional.of(reading);
    }

    private static Optional<Measured> ofKvCache(DerivedValue value, EngineSample engine) {
        return switch (value) {
            case KV_USE -> use(engine);
            case KV_WASTE -> waste(engine);
            case KV_STRANDED -> stranded(engine);
            case CACHE_SHARE, SPLIT_SHARE, EXTERNAL_SHARE, UNUSABLE_SHARE -> Optional.empty();
        };
    }

    private static Optional<Measured> use(EngineSample engine) {
        Long usage = engine.getKvUsagePpm();
        if (usage != null) {
            return share(usage, (long) MILLION);
        }
        Long blocks = engine.getKvTotalBlocks();
        Long used = usedBlocks(engine);
        if (blocks != null && used != null) {
            return share(used, blocks);
        }
        Long tokens = engine.getKvTotalTokens();
        Long usedTokens = engine.getKvUsedTokens();
        return tokens == null || usedTokens == null ? Optional.empty() : share(usedTokens, tokens);
    }

    private static Optional<Measured> waste(EngineSample engine) {
        Long tokens = engine.getKvUsedTokens();
        return tokens == null ? Optional.empty() : cache(engine).flatMap(cache -> cache.waste(tokens));
    }

    private static Optional<Measured> stranded(EngineSample engine) {
        Long evictable = engine.getKvEvictableTokens();
        if (evictable == null) {
            return Optional.empty();
        }
        Long capacity = engine.getKvTotalTokens();
        if (capacity == null && engine.getKvBlockTokens() != null && engine.getKvTotalBlocks() != null) {
            capacity = engine.getKvBlockTokens() * engine.getKvTotalBlocks();
        }
        return capacity == null ? Optional.empty() : share(evictable, capacity);
    }

    private static Optional<KvCacheReading> cache(EngineSample engine) {
        Long tokens = engine.getKvBlockTokens();
        Long blocks = engine.getKvTotalBlocks();
        Long used = engine.getKvUsedBlocks();
        return tokens == null || blocks == null || used == null
                ? Optional.empty()
                : Optional.of(new KvCacheReading(tokens, blocks, used));
    }

    private static @Nullable Long usedBlocks(EngineSample engine) {
        Long blocks = engine.getKvTotalBlocks();
        Long free = engine.getKvFreeBlocks();
        return engine.getKvUsedBlocks() != null || blocks == null || free == null
                ? engine.getKvUsedBlocks()
                : Long.valueOf(blocks - free);
    }

    /** Empty where there is nothing to have a share of. */
    private static Optional<Measured> share(long part, long whole) {
        if (part < 0 || part > whole) {
            throw new IllegalArgumentException("part: must be from 0 to the whole (" + whole + "), found " + part);
        }
        return whole == 0 ? Optional.empty() : Optional.of(new Measured((double) part / whole));
    }
}
