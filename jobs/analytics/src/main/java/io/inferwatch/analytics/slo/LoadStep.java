package io.inferwatch.analytics.slo;

/**
 * A stretch of time under the same load.
 *
 * @param perSecond requests a second that were offered, whether or not they were answered
 * @param startMicros inclusive, epoch microseconds
 * @param endMicros exclusive, epoch microseconds
 */
public record LoadStep(double perSecond, long startMicros, long endMicros) {
    /** Checks the numbers. */
    public LoadStep {
        if (!(perSecond > 0 && Double.isFinite(perSecond))) {
            throw new IllegalArgumentException("perSecond: must be above 0 and finite, found " + perSecond);
        }
        if (endMicros <= startMicros) {
            throw new IllegalArgumentException("endMicros: must be after " + startMicros + ", found " + endMicros);
        }
    }
}
