package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.state.StateWriter;
import java.util.Optional;

/**
 * One way to see that a series is not as it was. Sees each value once, in order, and nothing of what comes after. What it remembers is bounded, and written by
 * {@link #write}; a channel that has been read again gives the same readings. Not thread safe.
 */
sealed interface Channel permits JumpChannel, LevelChannel, SlowChannel, ShapeChannel {
    /**
     * How strange a window is.
     *
     * @param strangeness in multiples of the channel's own limit: above 1 is an alarm if nothing else were known
     * @param alarm whether the channel would tell it now by its own rules
     */
    record Reading(double strangeness, boolean alarm) {}

    /**
     * A window.
     *
     * @param value on the series' scale
     * @param residual what is unexpected of it, in spreads
     * @param steady the median residual of the last three windows: one spike does not move it
     */
    record Point(double value, double residual, double steady) {}

    /**
     * Takes in the next window.
     *
     * @return empty while the channel learns
     */
    Optional<Reading> observe(Point point);

    /** Values lacked before the next one. */
    void gap();

    /** What the channel has gathered against the present level no longer counts: it has been accepted, or is over. */
    void reset();

    /** Writes what is remembered. */
    void write(StateWriter out);
}
