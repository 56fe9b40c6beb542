package io.inferwatch.jobs.detect;

/**
 * A verdict before it is known what all other keys of the window say.
 *
 * @param family the verdicts that share the risk of false alarms: a view's, of one statistic, with one end
 * @param key series and statistic
 * @param endMillis end of the window, epoch milliseconds
 * @param p of the server's finding; above 1 where nothing could be tested
 * @param result the {@link io.inferwatch.schemas.DriftResult}, encoded
 */
public record Candidate(String family, String key, long endMillis, double p, byte[] result) {
    /** Stands for a p that there is not. */
    static final double UNTESTED = 2;

    boolean isTested() {
        return p <= 1;
    }
}
