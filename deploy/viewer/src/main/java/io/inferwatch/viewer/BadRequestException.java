package io.inferwatch.viewer;

/** A request that cannot be answered, with the rule that it breaks. */
final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    BadRequestException(String message) {
        this(400, message);
    }

    BadRequestException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
