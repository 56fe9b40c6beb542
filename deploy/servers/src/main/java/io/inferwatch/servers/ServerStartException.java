package io.inferwatch.servers;

import org.jspecify.annotations.Nullable;

/** A server could not be found or did not become ready; the message says which, why, and shows the last lines of its log. */
public final class ServerStartException extends RuntimeException {
    /** With a message fit to be shown as it is. */
    public ServerStartException(String message) {
        this(message, null);
    }

    /** With a message fit to be shown as it is, and what led to it. */
    public ServerStartException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
