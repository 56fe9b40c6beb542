package io.inferwatch.probes.replay;

/** A recorded file, or what goes with it, that cannot be replayed. The message is one line: where, what must be, what was found. */
public final class BadTraceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadTraceException(String message) {
        super(message);
    }
}
