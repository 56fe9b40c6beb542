package io.inferwatch.probes.engine;

/** Targets could not be looked up. */
public final class TargetSourceException extends Exception {
    private static final long serialVersionUID = 1L;

    /** With what went wrong. */
    public TargetSourceException(String message) {
        super(message);
    }
}
