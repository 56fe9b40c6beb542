package io.inferwatch.probes.engine;

/** Why a target's page was not had. */
enum ScrapeFailure {
    /** Nothing answers there. */
    CONNECT,
    /** No whole answer in time. */
    TIMEOUT,
    /** Another status than 200. */
    STATUS,
    /** It points to another host, or too often. */
    REDIRECT,
    /** Larger than the limit, on the wire or inflated. */
    TOO_LARGE,
    /** Not in the encoding that it says. */
    ENCODING,
    /** Cut short, or not in the format that it says. */
    INCOMPLETE,
    /** Nothing on it is a sample. */
    NO_SAMPLES,
    /** The connection broke, or TLS failed. */
    BROKEN
}
