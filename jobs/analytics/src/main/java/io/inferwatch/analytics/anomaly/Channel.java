package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.state.StateWriter;
import java.util.OptionalDouble;

/**
 * One way to see that a series is not as it was. Sees each value once, in order, and nothing of what comes after. What it remembers is bounded, and written by
 * {@link #write}; a channel that has been read again gives the same readings. Not thread safe.
 */
sealed interface Channel permits JumpChannel, LevelChannel, SlowChannel, ShapeChannel {
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
     * @return how strange it is, in multiples of the channel's own limit: above 1 it would be an alarm if nothing else were known; empty while the channel learns
     */
    OptionalDouble observe(Point point);

    /** Values lacked before the next one. */
    void gap();

    /** What the channel has gathered against the present level no longer counts: it has been accepted, or is over. */
    void reset();

    /** Writes what is remembered. */
    void write(StateWriter out);
}
