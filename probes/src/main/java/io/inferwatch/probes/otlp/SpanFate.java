package io.inferwatch.probes.otlp;

/** What became of a span. */
enum SpanFate {
    /** It told of a request and went on as an event. */
    REQUEST,
    /** It told of a request, but sampling left it out. */
    SAMPLED_OUT,
    /** It is about something else. */
    OTHER,
    /** It came before. */
    REPEAT,
    /** Refused: its trace or span id is missing, short or all zero. */
    INVALID_ID,
    /** Refused: it has no start or no end, or an absurd one. */
    INVALID_TIME
}
