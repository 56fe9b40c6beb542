package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Level;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Optional;

/** Sees that the level has changed by much: the residual by itself. Remembers nothing, and so sees a great change before averages do. */
record JumpChannel(Level rule) implements Channel {
    @Override
    public Optional<Reading> observe(Point point) {
        double strangeness = Math.abs(point.steady()) / rule.sigmas();
        return Optional.of(new Reading(strangeness, strangeness > 1));
    }

    @Override
    public void gap() {}

    @Override
    public void reset() {}

    @Override
    public void write(StateWriter out) {}
}
