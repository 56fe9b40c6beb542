package io.inferwatch.probes.proxy.measure;

import org.jspecify.annotations.Nullable;

/** How the transport of an answer ended. */
public enum Ending {
    /** The body came to its proper end. */
    COMPLETE(null),
    /** The upstream's connection broke off within the answer. */
    CUT("upstream-cut"),
    /** The client went away first. */
    CLIENT_CLOSED(null),
    /** The upstream took no connection: the client got a 502. */
    REFUSED("upstream-refused"),
    /** The upstream's connection broke off before the answer: the client got a 502. */
    RESET("upstream-reset"),
    /** The upstream answered something that is no HTTP: the client got a 502. */
    GARBLED("upstream-garbled"),
    /** The upstream was silent for too long: the client got a 504, or a broken stream. */
    TIMED_OUT("upstream-timeout"),
    /** The proxy ended before the answer did. */
    SHUT_DOWN("proxy-shutdown");

    private final @Nullable String errorType;

    Ending(@Nullable String errorType) {
        this.errorType = errorType;
    }

    /** What the event says when the answer itself said nothing. */
    @Nullable
    String errorType() {
        return errorType;
    }
}
