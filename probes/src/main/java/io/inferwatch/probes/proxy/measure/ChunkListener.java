package io.inferwatch.probes.proxy.measure;

/** Hears of every chunk that bears tokens, for those who need more than distributions. */
@FunctionalInterface
public interface ChunkListener {
    /** Hears nothing. */
    ChunkListener NONE = atNanos -> {};

    /** A chunk came at this reading of the clock; never before the one before it. */
    void chunk(long atNanos);
}
