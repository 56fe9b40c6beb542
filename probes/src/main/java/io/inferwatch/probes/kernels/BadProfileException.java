package io.inferwatch.probes.kernels;

/** A profile that cannot be read; the message names file, place, rule and what was found. */
public final class BadProfileException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadProfileException(String message) {
        super(message);
    }
}
