package io.inferwatch.probes.engine;

/** A page that was not had. */
final class ScrapeFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ScrapeFailure failure;

    ScrapeFailedException(ScrapeFailure failure, String message) {
        super(message);
        this.failure = failure;
    }

    ScrapeFailure failure() {
        return failure;
    }
}
