package io.inferwatch.probes.engine.exposition;

/** A page that cannot be taken at all: cut short, or not what its format says. */
public final class IncompletePageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** With what is wrong. */
    public IncompletePageException(String message) {
        super(message);
    }
}
