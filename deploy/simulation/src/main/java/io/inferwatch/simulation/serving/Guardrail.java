package io.inferwatch.simulation.serving;

import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * How prompts are checked before the engine sees them. Inline checks take 128 ms in the median and 342 ms at P95; those of a sidecar 43 and
 * 116 ms, but after 80 ms the request is let through without an answer.
 */
public enum Guardrail {
    /** Not at all. */
    NONE,
    /** In the server: the request waits until the check is over. */
    INLINE,
    /** Beside the server, with a deadline. */
    SIDECAR;

    /** After which a sidecar is no longer waited for. */
    public static final long SIDECAR_DEADLINE_NANOS = 80_000_000;

    /** Verdict of a check that was passed. */
    public static final String PASS = "pass";

    /** Verdict when the deadline was missed. */
    public static final String BYPASS = "bypass";

    private static final Lognormal INLINE_NANOS = Lognormal.ofMedianAndP95(128e6, 342e6);
    private static final Lognormal SIDECAR_NANOS = Lognormal.ofMedianAndP95(43e6, 116e6);

    /**
     * One check.
     *
     * @param mode where it ran
     * @param waitedNanos that the request waited for it
     */
    public record Check(Guardrail mode, long waitedNanos, String verdict) {}

    /** The text that names it on a command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A check of one prompt; empty where there is none. */
    Optional<Check> check(SplittableRandom random) {
        return switch (this) {
            case NONE -> Optional.empty();
            case INLINE -> Optional.of(new Check(this, Math.round(INLINE_NANOS.next(random)), PASS));
            case SIDECAR -> {
                long nanos = Math.round(SIDECAR_NANOS.next(random));
                yield Optional.of(
                        nanos > SIDECAR_DEADLINE_NANOS
                                ? new Check(this, SIDECAR_DEADLINE_NANOS, BYPASS)
                                : new Check(this, nanos, PASS));
            }
        };
    }
}
