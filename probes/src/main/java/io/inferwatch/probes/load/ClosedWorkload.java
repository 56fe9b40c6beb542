package io.inferwatch.probes.load;

import org.jspecify.annotations.Nullable;

/** Conversations without times of their own: the next begins when the limit of open ones allows. */
final class ClosedWorkload implements Workload {
    private final RequestMaker maker;
    private final long conversations;
    private long next;

    /**
     * So many conversations, or single requests.
     *
     * @param conversations {@link Long#MAX_VALUE} for as long as nobody stops it
     */
    ClosedWorkload(RequestMaker maker, long conversations) {
        this.maker = maker;
        this.conversations = conversations;
    }

    @Override
    public @Nullable PlannedRequest next() {
        return next < conversations ? maker.make(next++, null, 0) : null;
    }
}
