package io.inferwatch.local.remote;

/** Flink cannot be used from here, or what it is to be given is not there. The message is one line for whoever started the command. */
public final class UnreachableFlinkException extends RuntimeException {
    UnreachableFlinkException(String message) {
        super(message);
    }
}
