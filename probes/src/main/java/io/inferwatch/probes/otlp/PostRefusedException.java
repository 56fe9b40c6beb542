package io.inferwatch.probes.otlp;

/** A post cannot be taken as a whole. The message is for its sender. */
final class PostRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final PostResult result;

    PostRefusedException(PostResult result, String message) {
        super(message);
        this.result = result;
    }

    PostResult result() {
        return result;
    }
}
