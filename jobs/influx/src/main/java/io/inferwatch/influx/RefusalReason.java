package io.inferwatch.influx;

import java.util.Locale;

/** Why a point was refused for good. */
public enum RefusalReason {
    /** A field has another type in the database already. */
    FIELD_TYPE_CONFLICT,
    /** The point is older than the retention policy keeps. */
    BEYOND_RETENTION,
    /** The server cannot read the line. */
    UNPARSABLE,
    /** The point alone exceeds what the server accepts in one request. */
    TOO_LARGE,
    /** Anything else; the message says what. */
    REFUSED;

    /** As it is written in dead letters and metrics: {@code field-type-conflict}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
