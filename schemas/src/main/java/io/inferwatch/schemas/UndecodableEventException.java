package io.inferwatch.schemas;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Bytes that are no event of ours. The reason is one of a closed list, so that it can be counted. */
public final class UndecodableEventException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why bytes could not be decoded. */
    public enum Reason {
        /** The two marker bytes of Avro's single-object encoding are missing. */
        NOT_SINGLE_OBJECT,
        /** The schema fingerprint is of no released schema. */
        UNKNOWN_SCHEMA,
        /** A released schema, but of a record that does not belong here. */
        UNEXPECTED_RECORD,
        /** The body breaks off or breaks its schema. */
        MALFORMED;

        /** As it is written in dead letters and metrics: {@code not-single-object}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Reason reason;

    /** An exception whose message says what was found and what was expected. */
    public UndecodableEventException(Reason reason, String detail, @Nullable Throwable cause) {
        super(detail, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
