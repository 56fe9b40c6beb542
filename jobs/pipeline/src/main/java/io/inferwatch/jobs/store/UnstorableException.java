package io.inferwatch.jobs.store;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A record of which no point can be made; it goes to the dead letters. */
public final class UnstorableException extends Exception {
    private static final long serialVersionUID = 1;

    /** Why no point can be made. */
    public enum Reason {
        /** The window's view is not in the metric catalogue. */
        UNKNOWN_VIEW,
        /** The record's key is not the window's series, so that its revisions would not meet. */
        KEY_DIFFERS,
        /** The result's metric is not in the metric catalogue. */
        UNKNOWN_METRIC,
        /** There is no measurement for figures of this kind. */
        UNKNOWN_KIND,
        /** Two tags or fields of the point would have the same name. */
        NAME_TWICE,
        /** The window's dimensions are not those of its view. */
        DIMENSIONS_DIFFER,
        /** A distribution's bytes are no sketch. */
        MALFORMED_SKETCH,
        /** The length or end of the window is none. */
        MALFORMED_WINDOW;

        /** As it is written in dead letters and metrics: {@code unknown-view}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Reason reason;

    /** An exception whose message says what was found and what was expected. */
    public UnstorableException(Reason reason, String detail, @Nullable Throwable cause) {
        super(detail, cause);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
