package io.inferwatch.analytics.cause;

import java.time.Duration;

/**
 * How long a window of a burst is looked at: 10 s while there are few arrivals; else 5 s and 2 s for each unit of the burst score, the squared coefficient of
 * variation of the times between arrivals (1 for arrivals at random, more for bursts), up to a minute.
 */
public final class BurstWindow {
    /** Fewer times between arrivals tell nothing of their variation. */
    public static final int MIN_N = 30;

    private static final Duration FEW = Duration.ofSeconds(10);
    private static final Duration MOST = Duration.ofMinutes(1);
    private static final double BASE_SECONDS = 5;
    private static final double SECONDS_PER_SCORE = 2;

    private BurstWindow() {}

    /** The burst score of times between arrivals; 0 where there are none, or all at once. */
    public static double score(long... betweenMicros) {
        double mean = 0;
        for (long time : betweenMicros) {
            mean += (double) time / betweenMicros.length;
        }
        double squares = 0;
        for (long time : betweenMicros) {
            squares += Math.pow(time - mean, 2) / (betweenMicros.length - 1.0);
        }
        return mean == 0 || betweenMicros.length < 2 ? 0 : squares / (mean * mean);
    }

    /** The window for arrivals with these times between them. */
    public static Duration of(long... betweenMicros) {
        if (betweenMicros.length < MIN_N) {
            return FEW;
        }
        Duration window =
                Duration.ofMillis(Math.round(1_000 * (BASE_SECONDS + SECONDS_PER_SCORE * score(betweenMicros))));
        return window.compareTo(MOST) < 0 ? window : MOST;
    }
}
