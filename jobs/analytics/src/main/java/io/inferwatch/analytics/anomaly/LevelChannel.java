package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Level;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.OptionalDouble;

/** Sees that the level has changed: an exponentially weighted mean of residuals, z = w r + (1 - w) z. Eight bytes. */
final class LevelChannel implements Channel {
    private final Level rule;
    private double mean;

    LevelChannel(Level rule) {
        this.rule = rule;
    }

    @Override
    public OptionalDouble observe(Point point) {
        mean += rule.weight() * (point.steady() - mean);
        return OptionalDouble.of(Math.abs(mean) / rule.limit());
    }

    @Override
    public void gap() {
        mean = 0;
    }

    @Override
    public void reset() {
        mean = 0;
    }

    @Override
    public void write(StateWriter out) {
        out.real(mean);
    }

    static LevelChannel read(StateReader in, Level rule) {
        LevelChannel channel = new LevelChannel(rule);
        channel.mean = in.real();
        return channel;
    }
}
