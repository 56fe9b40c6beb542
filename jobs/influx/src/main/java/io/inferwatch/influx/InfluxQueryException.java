package io.inferwatch.influx;

/** A query that the server refuses; the message holds the server's own text. */
public final class InfluxQueryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception with the server's text and the query. */
    public InfluxQueryException(String message) {
        super(message);
    }
}
