package io.inferwatch.analytics.cost;

import java.util.OptionalDouble;

/**
 * What devices of one kind did in a window. Times are of all devices together.
 *
 * @param seconds of the window, over all devices
 * @param idleSeconds without any work
 * @param prefillSeconds of prompts
 * @param kvSyncSeconds of moving KV caches
 * @param communicationSeconds of devices waiting for each other
 * @param prefilledTokens prompt tokens that were computed
 * @param generatedTokens that were generated, wasted ones included
 * @param requests that were answered
 * @param preemptedTokens of the generated ones, those that preemption lost
 * @param failedTokens of the generated ones, those of requests that failed
 */
public record DeviceWork(
        double seconds,
        double idleSeconds,
        double prefillSeconds,
        double kvSyncSeconds,
        double communicationSeconds,
        long prefilledTokens,
        long generatedTokens,
        long requests,
        long preemptedTokens,
        long failedTokens) {

    /** Checks the numbers. */
    public DeviceWork {
        for (double time : new double[] {seconds, idleSeconds, prefillSeconds, kvSyncSeconds, communicationSeconds}) {
            if (!(time >= 0 && Double.isFinite(time))) {
                throw new IllegalArgumentException("seconds: must be at least 0 and finite, found " + time);
            }
        }
        if (prefilledTokens < 0 || requests < 0 || preemptedTokens < 0 || failedTokens < 0) {
            throw new IllegalArgumentException("tokens, requests: must be at least 0, found " + prefilledTokens + ", "
                    + requests + ", " + preemptedTokens + ", " + failedTokens);
        }
        if (preemptedTokens + failedTokens > generatedTokens) {
            throw new IllegalArgumentException("generatedTokens: must be at least the "
                    + (preemptedTokens + failedTokens) + " that were lost, found " + generatedTokens);
        }
    }

    /** Seconds that were left to generate in; what was measured to overlap leaves none. */
    public double generatingSeconds() {
        return Math.max(0, seconds - idleSeconds - prefillSeconds - kvSyncSeconds - communicationSeconds);
    }

    /** Tokens a second while a device generates: without idling, prefill, KV sync and communication. Empty without such time, or tokens. */
    public OptionalDouble effectiveThroughput() {
        double generating = generatingSeconds();
        return generating > 0 && generatedTokens > 0
                ? OptionalDouble.of(generatedTokens / generating)
                : OptionalDouble.empty();
    }

    /** Tokens that somebody got. */
    public long usefulTokens() {
        return generatedTokens - preemptedTokens - failedTokens;
    }
}
