package io.inferwatch.local.remote;

/** Flink has understood what it was asked for and has not done it; the message is Flink's reason. */
public final class FlinkRefusalException extends RuntimeException {
    FlinkRefusalException(String message) {
        super(message);
    }
}
