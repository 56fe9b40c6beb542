package io.inferwatch.notifier;

import java.util.List;

/** Options that cannot be used; the message lists every problem, one a line. */
final class InvalidOptionsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidOptionsException(List<String> problems) {
        super(String.join("\n", problems));
    }
}
