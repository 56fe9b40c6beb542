package io.inferwatch.probes.load;

import org.jspecify.annotations.Nullable;

/** Requests in the order of their times. Made while they are sent, so that a long load needs no memory. Not thread safe. */
interface Workload {
    /** The next one; null at the end. */
    @Nullable
    PlannedRequest next();
}
