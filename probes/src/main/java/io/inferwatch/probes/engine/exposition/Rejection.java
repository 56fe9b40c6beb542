package io.inferwatch.probes.engine.exposition;

/** Why a sample of a page was not taken. The rest of its page was. */
public enum Rejection {
    /** What should be a metric's name is none. */
    MALFORMED_NAME,
    /** The labels do not follow the format. */
    MALFORMED_LABELS,
    /** The line ends without a value. */
    NO_VALUE,
    /** What stands in the value's place is no number. */
    NOT_A_NUMBER,
    /** More behind the value than a time and an exemplar. */
    MALFORMED_END,
    /** The series was on this page before. */
    DUPLICATE,
    /** The target has more series than the limit. */
    TOO_MANY_SERIES,
    /** NaN: the engine has no value yet. */
    NAN,
    /** A number that stands for "not available". */
    SENTINEL,
    /** A value that this signal cannot have. */
    OUT_OF_RANGE
}
