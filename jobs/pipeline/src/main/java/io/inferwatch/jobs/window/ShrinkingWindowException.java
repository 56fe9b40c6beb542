package io.inferwatch.jobs.window;

/** Windows that would be made anew would hold less than those that were published: nothing of them is. */
public final class ShrinkingWindowException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    ShrinkingWindowException(String message) {
        super(message);
    }
}
