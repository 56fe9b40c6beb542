package io.inferwatch.probes.load;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import org.jspecify.annotations.Nullable;

/**
 * A request and what came of it. The event's durations count from the schedule, where there is one: whoever wanted an answer at that moment has waited since then.
 *
 * @param phase number of the phase that it belongs to
 * @param queuedMicros from its time to its turn, where the number of open requests is limited
 * @param lagMicros from its turn to its sending: the generator's own lateness
 * @param chunkMicros when the chunks came, from the sending on; null where nobody asked
 */
record FinishedRequest(
        PlannedRequest planned,
        int phase,
        long queuedMicros,
        long lagMicros,
        RequestEvent event,
        int @Nullable [] chunkMicros) {
    /** Whether the answer came whole. */
    boolean isGood() {
        return event.getOutcome() == Outcome.OK || event.getOutcome() == Outcome.LENGTH;
    }

    /** From the schedule to the first token; null when none came. */
    @Nullable
    Long ttftMicros() {
        return event.getTtftMicros();
    }

    /** From the sending to the first token; null when none came. */
    @Nullable
    Long sentTtftMicros() {
        return fromSending(event.getTtftMicros());
    }

    /** From the schedule to the last token; null when the answer did not come whole. */
    @Nullable
    Long e2eMicros() {
        return isGood() ? event.getE2eMicros() : null;
    }

    /** From the sending to the last token; null when the answer did not come whole. */
    @Nullable
    Long sentE2eMicros() {
        return isGood() ? fromSending(event.getE2eMicros()) : null;
    }

    long sentAtMicros() {
        return event.getSentAtMicros();
    }

    /** When it should have been sent; when it was, where there is no schedule. */
    long dueAtMicros() {
        return event.getStartedAtMicros();
    }

    private @Nullable Long fromSending(@Nullable Long fromStartMicros) {
        return fromStartMicros == null
                ? null
                : (Long) (fromStartMicros - (event.getSentAtMicros() - event.getStartedAtMicros()));
    }
}
