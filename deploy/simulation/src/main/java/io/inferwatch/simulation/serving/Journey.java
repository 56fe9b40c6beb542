package io.inferwatch.simulation.serving;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request's way through a server, complete. Times are those of the server's timeline, in nanoseconds; arrival + stages before the engine
 * = queued; queued + queue = scheduled; scheduled + prefill = first token; first token + decode = last token; last token + post-processing
 * = end.
 *
 * @param version of the server when the request came
 * @param scheduledNanos first time that it was; empty when it never was
 * @param tokenNanos when each token came out of the engine
 */
public record Journey(
        String id,
        String version,
        Ending ending,
        long arrivedNanos,
        long gatewayNanos,
        long authenticationNanos,
        Optional<Guardrail.Check> guardrail,
        long tokenizeNanos,
        OptionalLong queuedNanos,
        OptionalLong scheduledNanos,
        List<Long> tokenNanos,
        long postprocessNanos,
        long endedNanos,
        int promptTokens,
        int cachedTokens,
        int preemptions) {
    /** When the first token came out of the engine. */
    public OptionalLong firstTokenNanos() {
        return tokenNanos.isEmpty() ? OptionalLong.empty() : OptionalLong.of(tokenNanos.get(0));
    }

    /** When the last token came out of the engine. */
    public OptionalLong lastTokenNanos() {
        return tokenNanos.isEmpty() ? OptionalLong.empty() : OptionalLong.of(tokenNanos.get(tokenNanos.size() - 1));
    }

    /** Waiting in the engine before the first step. */
    public OptionalLong queueNanos() {
        return between(queuedNanos, scheduledNanos);
    }

    /** From the first step to the first token. */
    public OptionalLong prefillNanos() {
        return between(scheduledNanos, firstTokenNanos());
    }

    /** From the first token to the last; a preemption's wait and repetition lie in it. */
    public OptionalLong decodeNanos() {
        return between(firstTokenNanos(), lastTokenNanos());
    }

    /** Whether the answer came as it should. */
    public boolean isComplete() {
        return ending == Ending.STOP || ending == Ending.LENGTH;
    }

    private static OptionalLong between(OptionalLong from, OptionalLong to) {
        return from.isPresent() && to.isPresent()
                ? OptionalLong.of(to.getAsLong() - from.getAsLong())
                : OptionalLong.empty();
    }
}
