package io.inferwatch.jobs.store;

/** InfluxDB takes no point before a person changes something; the message says what. */
public final class UnwritableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception with what to do. */
    public UnwritableException(String message) {
        super("InfluxDB takes no points: " + message);
    }
}
