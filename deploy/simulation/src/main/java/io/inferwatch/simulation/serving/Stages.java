package io.inferwatch.simulation.serving;

import java.util.SplittableRandom;

/**
 * How long the stages around the engine take, one after the other: gateway, authentication, (guardrail,) tokenisation before it and
 * post-processing (filter, audit) after it. Tokenisation takes {@code tokenizeNanos * characters^1.15}: it grows faster than the prompt.
 *
 * @param tokenizeNanos of one character
 */
public record Stages(
        Lognormal gatewayNanos, Lognormal authenticationNanos, double tokenizeNanos, Lognormal postprocessNanos) {
    private static final double TOKENIZE_EXPONENT = 1.15;

    /** What one request spends in them. */
    record Times(long gatewayNanos, long authenticationNanos, long tokenizeNanos, long postprocessNanos) {}

    /** A millisecond or less each; 4,000 characters are tokenised in 0.7 ms (assumptions). */
    public static Stages usual() {
        return new Stages(new Lognormal(300_000, 0.4), new Lognormal(500_000, 0.5), 50, new Lognormal(400_000, 0.4));
    }

    /** Stages that take no time: what remains is the engine. */
    public static Stages none() {
        Lognormal nothing = new Lognormal(0, 0);
        return new Stages(nothing, nothing, 0, nothing);
    }

    Times next(SplittableRandom random, int characters, double slowness) {
        return new Times(
                Math.round(gatewayNanos.next(random) * slowness),
                Math.round(authenticationNanos.next(random) * slowness),
                Math.round(tokenizeNanos * Math.pow(characters, TOKENIZE_EXPONENT) * slowness),
                Math.round(postprocessNanos.next(random) * slowness));
    }
}
