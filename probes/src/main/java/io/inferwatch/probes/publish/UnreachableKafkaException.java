package io.inferwatch.probes.publish;

/** Kafka cannot be used from here. The message is one line for whoever started the command, which ends with status 2 on it. */
public final class UnreachableKafkaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnreachableKafkaException(String message) {
        super(message);
    }
}
