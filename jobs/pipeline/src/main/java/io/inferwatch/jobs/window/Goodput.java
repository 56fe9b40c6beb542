package io.inferwatch.jobs.window;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits within which a complete request is good; null where there is none. A request that brings a limit of its own is held to
 * that one instead. A request that lacks a limited value is not good.
 *
 * @param ttft limit of the time to first token
 * @param tpot limit of the time per output token
 * @param e2e limit of the end-to-end latency
 */
public record Goodput(
        @Nullable Duration ttft,
        @Nullable Duration tpot,
        @Nullable Duration e2e) implements Serializable {
    private static final long serialVersionUID = 1;

    /** MLPerf's limits for Llama 2 70B in the server scenario: TTFT 2 s, TPOT 200 ms. */
    public static Goodput byDefault() {
        return new Goodput(Duration.ofSeconds(2), Duration.ofMillis(200), null);
    }
}
