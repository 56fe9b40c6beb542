package io.inferwatch.influx;

import org.jspecify.annotations.Nullable;

/** A server that cannot be reached or cannot answer now. The same request may succeed later. */
public final class InfluxUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception whose message says what was asked of whom and what came back instead. */
    public InfluxUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
