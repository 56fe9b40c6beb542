package io.inferwatch.probes.load;

import io.inferwatch.schemas.RequestEvent;
import org.jspecify.annotations.Nullable;

/** What a load can learn from a request of the past: when it came, and how long it and its answer were. */
record ObservedRequest(
        long startedAtMicros,
        @Nullable Long promptTokens,
        @Nullable Long outputTokens) {
    static ObservedRequest of(RequestEvent event) {
        return new ObservedRequest(event.getStartedAtMicros(), event.getPromptTokens(), event.getOutputTokens());
    }
}
