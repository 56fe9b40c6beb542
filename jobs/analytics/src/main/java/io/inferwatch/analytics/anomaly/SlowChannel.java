package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Slow;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.OptionalDouble;

/** Sees small changes that stay: two-sided CUSUM, S = max(0, S + r - slack). Sums stop at {@value #MOST} limits, so that they find back, and so that
 * a change that stays becomes one of the readings that are known. Sixteen bytes. */
final class SlowChannel implements Channel {
    private static final int MOST = 2;

    private final Slow rule;
    private double up;
    private double down;

    SlowChannel(Slow rule) {
        this.rule = rule;
    }

    @Override
    public OptionalDouble observe(Point point) {
        double capped = Math.max(-rule.cap(), Math.min(rule.cap(), point.residual()));
        up = bounded(up + capped - rule.slack());
        down = bounded(down - capped - rule.slack());
        return OptionalDouble.of(Math.max(up, down) / rule.limit());
    }

    private double bounded(double sum) {
        return Math.max(0, Math.min(MOST * rule.limit(), sum));
    }

    @Override
    public void gap() {}

    @Override
    public void reset() {
        up = 0;
        down = 0;
    }

    @Override
    public void write(StateWriter out) {
        out.real(up);
        out.real(down);
    }

    static SlowChannel read(StateReader in, Slow rule) {
        SlowChannel channel = new SlowChannel(rule);
        channel.up = in.real();
        channel.down = in.real();
        return channel;
    }
}
