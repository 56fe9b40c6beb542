package io.inferwatch.probes.proxy.measure;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * When the tokens of one streamed answer came: first event, first token, first token that is not reasoning, last token, the gaps between
 * token-bearing chunks, and, where every chunk says how many tokens it bears, the gaps between tokens. Chunks that one read brought have one time;
 * the gap before them is shared out evenly among their tokens. The tokens that came with the first read have no gaps.
 *
 * <p>Times are readings of one monotonic clock. Memory: two sketches, a few hundred bytes each for most answers. Not thread safe.
 */
final class TokenTimeline {
    private static final long NEVER = Long.MIN_VALUE;

    private final QuantileSketch chunkGaps = new QuantileSketch();
    private @Nullable QuantileSketch tokenGaps = new QuantileSketch();

    private long firstEventNanos = NEVER;
    private long firstTokenNanos = NEVER;
    private long firstOutputNanos = NEVER;
    private long lastTokenNanos = NEVER;
    private long lastReadNanos = NEVER;
    private long maxStallNanos = NEVER;
    private long firstChunkTokens = NEVER;

    private long events;
    private long tokenChunks;
    /** Tokens if every choice in every chunk bore one. */
    private long chunkTokens;

    private long coalescedReads;
    private long tokenReads;
    private long eventsOfRead;
    private long tokensOfRead;
    private boolean hasTokensOfRead;

    /** An event of the stream, whatever it holds. */
    void event(long atNanos) {
        if (firstEventNanos == NEVER) {
            firstEventNanos = atNanos;
        }
        events++;
        eventsOfRead++;
    }

    /**
     * The event just told bears tokens.
     *
     * @param choices how many answers of n have some in it
     * @param tokens how many; negative when the stream does not say
     * @param isOutput whether they are more than reasoning
     */
    void tokens(long atNanos, long choices, long tokens, boolean isOutput) {
        if (firstTokenNanos == NEVER) {
            firstTokenNanos = atNanos;
            firstChunkTokens = tokens < 0 ? NEVER : tokens;
        } else {
            long gapNanos = Math.max(0, atNanos - lastTokenNanos);
            chunkGaps.add(gapNanos);
            maxStallNanos = Math.max(maxStallNanos, gapNanos);
        }
        if (isOutput && firstOutputNanos == NEVER) {
            firstOutputNanos = atNanos;
        }
        lastTokenNanos = atNanos;
        tokenChunks++;
        chunkTokens += choices;
        hasTokensOfRead = true;
        if (tokens < 0) {
            tokenGaps = null;
        } else {
            tokensOfRead += tokens;
        }
    }

    /** All that one read brought has been told. */
    void endRead() {
        if (eventsOfRead > 1) {
            coalescedReads++;
        }
        if (hasTokensOfRead) {
            QuantileSketch gaps = tokenGaps;
            if (gaps != null && tokenReads > 0 && tokensOfRead > 0) {
                gaps.add(Math.max(0, lastTokenNanos - lastReadNanos) / tokensOfRead, tokensOfRead);
            }
            tokenReads++;
            lastReadNanos = lastTokenNanos;
        }
        eventsOfRead = 0;
        tokensOfRead = 0;
        hasTokensOfRead = false;
    }

    boolean hasTokens() {
        return tokenChunks > 0;
    }

    OptionalLong firstEventNanos() {
        return optional(firstEventNanos);
    }

    OptionalLong firstTokenNanos() {
        return optional(firstTokenNanos);
    }

    OptionalLong firstOutputNanos() {
        return optional(firstOutputNanos);
    }

    OptionalLong lastTokenNanos() {
        return optional(lastTokenNanos);
    }

    /** Longest gap between token-bearing chunks; empty below two chunks. */
    OptionalLong maxStallNanos() {
        return optional(maxStallNanos);
    }

    /** Tokens of the first token-bearing chunk, where it says so. */
    OptionalLong firstChunkTokens() {
        return optional(firstChunkTokens);
    }

    long events() {
        return events;
    }

    long tokenChunks() {
        return tokenChunks;
    }

    long chunkTokens() {
        return chunkTokens;
    }

    long coalescedReads() {
        return coalescedReads;
    }

    /** Whether several chunks of tokens all came with one read: something held them back. */
    boolean isBuffered() {
        return tokenChunks > 1 && tokenReads == 1;
    }

    /** Gaps between token-bearing chunks, nanoseconds. */
    QuantileSketch chunkGaps() {
        return chunkGaps;
    }

    /** Gaps between tokens, nanoseconds; null where a chunk did not say how many it bears. */
    @Nullable
    QuantileSketch tokenGaps() {
        return tokenGaps;
    }

    private static OptionalLong optional(long value) {
        return value == NEVER ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
