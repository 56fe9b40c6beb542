package io.inferwatch.influx;

import org.jspecify.annotations.Nullable;

/** A connection that cannot work as it is configured. The message says what must be changed; a command ends with status 2 on it. */
public final class InfluxConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception whose message names the setting, the rule and what was found. */
    public InfluxConfigurationException(String message) {
        this(message, null);
    }

    /** The same, with what led to it. */
    public InfluxConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
