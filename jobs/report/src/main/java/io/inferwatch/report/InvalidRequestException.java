package io.inferwatch.report;

/** An option that cannot be met. The message names it, the rule and what was found; the command ends with status 2. */
public final class InvalidRequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** An exception with the one message that is shown. */
    public InvalidRequestException(String message) {
        super(message);
    }
}
