package io.inferwatch.local;

/** An option or what it names is wrong; the message is fit to be shown as it is. */
final class CommandLineException extends RuntimeException {
    CommandLineException(String message) {
        super(message);
    }
}
