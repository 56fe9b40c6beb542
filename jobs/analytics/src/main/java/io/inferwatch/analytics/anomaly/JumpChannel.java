package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Level;
import io.inferwatch.analytics.state.StateWriter;
import java.util.OptionalDouble;

/** Sees that the level has changed by much: the residual by itself. Remembers nothing, and so sees a great change before averages do. */
record JumpChannel(Level rule) implements Channel {
    @Override
    public OptionalDouble observe(Point point) {
        return OptionalDouble.of(Math.abs(point.steady()) / rule.sigmas());
    }

    @Override
    public void gap() {}

    @Override
    public void reset() {}

    @Override
    public void write(StateWriter out) {}
}
