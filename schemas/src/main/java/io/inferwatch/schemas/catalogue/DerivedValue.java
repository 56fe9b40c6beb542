package io.inferwatch.schemas.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a gauge may show besides fields: a share, in millionths, that follows from several fields of one sample. */
@SuppressWarnings("ImmutableEnumChecker") // its lists are List.of
public enum DerivedValue {
    /** Free in the allocator of all that it holds. */
    CACHE_SHARE(Metric.Origin.GPU, "allocatedBytes", "allocatorReservedBytes"),
    /** Inactive split bytes of all that the allocator holds. */
    SPLIT_SHARE(Metric.Origin.GPU, "allocatedBytes", "allocatorReservedBytes", "inactiveSplitBytes"),
    /** Free outside of the largest free block of all that is free in the allocator. */
    EXTERNAL_SHARE(Metric.Origin.GPU, "allocatedBytes", "allocatorReservedBytes", "largestFreeBlockBytes"),
    /** Free but too small for the largest recent request of all that is free in the allocator. */
    UNUSABLE_SHARE(Metric.Origin.GPU, "allocatedBytes", "allocatorReservedBytes", "unusableFreeBytes"),
    /** KV cache in use: as the engine tells it, else by blocks, else by tokens. */
    KV_USE(
            Metric.Origin.ENGINE,
            "kvUsagePpm",
            "kvUsedBlocks",
            "kvFreeBlocks",
            "kvTotalBlocks",
            "kvUsedTokens",
            "kvTotalTokens"),
    /** Room without a token in used blocks, where the engine counts blocks and tokens. */
    KV_WASTE(Metric.Origin.ENGINE, "kvBlockTokens", "kvTotalBlocks", "kvUsedBlocks", "kvUsedTokens"),
    /** Cache that no request holds of all. */
    KV_STRANDED(Metric.Origin.ENGINE, "kvEvictableTokens", "kvTotalTokens", "kvBlockTokens", "kvTotalBlocks");

    private final Metric.Origin of;
    private final List<String> fields;

    DerivedValue(Metric.Origin of, String... fields) {
        this.of = of;
        this.fields = List.of(fields);
    }

    /** The text that names it in a catalogue. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The samples that it follows from. */
    public Metric.Origin of() {
        return of;
    }

    /** The fields that it is made of; what lacks one of them need not lack the share. */
    public List<String> fields() {
        return fields;
    }

    /** The value that a text names. */
    public static Optional<DerivedValue> of(String text) {
        return Arrays.stream(values())
                .filter(value -> value.text().equals(text))
                .findFirst();
    }
}
