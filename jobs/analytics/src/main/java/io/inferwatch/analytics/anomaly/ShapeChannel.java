package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Shape;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Sees that the series does what it never did: the weighted geometric mean of several {@link ShapeView}s' discords. It needs neither a season nor a distribution, only
 * that what is normal comes again.
 *
 * <p>After a time of learning there is a reading with each block of the first view; between blocks the last one holds. An alarm takes as much from a budget as it is
 * worse than usual (the logarithm), and the less is left the worse the next must be, so that a series that always surprises is told less and less.
 *
 * <p>Memory: two bytes for each remembered block and a sketch of distances, for each view.
 */
public final class ShapeChannel implements Channel {
    private static final long NEVER = -1;
    private static final double LEAST_ENVELOPE = 1e-3;

    /** Usual distances at which the score is a half. */
    private static final double HALF = 4;

    private final Shape rule;
    private final int learnWindows;
    private final List<ShapeView> views;

    private long windows;
    private long blocks;
    private double spent;
    private long lastAlarmBlock = NEVER;
    private double lastAlarm;
    private double strangeness;

    /** Whether the last value is to be told by the channel's own rules. */
    private boolean isAlarm;

    /**
     * Before the first value.
     *
     * @param learnWindows how many values are learned from before there are readings
     */
    public ShapeChannel(Shape rule, int learnWindows) {
        this.rule = rule;
        this.learnWindows = learnWindows;
        this.views = rule.views().stream()
                .map(view -> new ShapeView(view, rule, learnWindows))
                .toList();
    }

    /**
     * Takes in the next value.
     *
     * @return how strange the last block is where it is to be told now, in (0, 1); 0 where not
     */
    public double score(double value) {
        observe(new Point(value, 0, 0));
        return isAlarm ? score(strangeness, rule) : 0;
    }

    /** The same range for all channels: 0.22 is at the limit, 1 is never reached. */
    static double score(double strangeness, Shape rule) {
        double mean = strangeness * rule.threshold();
        return mean / (mean + HALF);
    }

    @Override
    public OptionalDouble observe(Point point) {
        if (windows == learnWindows) {
            views.forEach(ShapeView::learn);
        }
        boolean isPaced = false;
        for (int i = 0; i < views.size(); i++) {
            boolean isComplete = views.get(i).add(point.value());
            isPaced |= i == 0 && isComplete;
        }
        windows++;
        if (windows <= learnWindows) {
            return OptionalDouble.empty();
        }
        isAlarm = isPaced && judge();
        return OptionalDouble.of(strangeness);
    }

    /** Sets the strangeness; whether it is to be told. */
    private boolean judge() {
        blocks++;
        spent *= Math.exp(-rule.recovery() * views.get(0).blockLength() / learnWindows);
        double mean = mean();
        strangeness = mean / (1 + rule.fatigue() * spent) / rule.threshold();
        boolean isFresh = lastAlarmBlock == NEVER || blocks - lastAlarmBlock >= rule.refractoryBlocks();
        if (strangeness <= 1 || (!isFresh && mean <= rule.escalation() * lastAlarm)) {
            return false;
        }
        spent += Math.log(mean);
        lastAlarmBlock = blocks;
        lastAlarm = mean;
        return true;
    }

    private double mean() {
        double logarithms = 0;
        double weights = 0;
        for (ShapeView view : views) {
            logarithms += view.weight() * Math.log(Math.max(LEAST_ENVELOPE, view.envelope()));
            weights += view.weight();
        }
        return Math.exp(logarithms / weights);
    }

    @Override
    public void gap() {
        views.forEach(ShapeView::gap);
    }

    /** Does nothing: what was strange once is a vector like others from then on. */
    @Override
    public void reset() {}

    @Override
    public void write(StateWriter out) {
        out.number(learnWindows);
        out.number(windows);
        out.number(blocks);
        out.real(spent);
        out.signed(lastAlarmBlock);
        out.real(lastAlarm);
        out.real(strangeness);
        views.forEach(view -> view.write(out));
    }

    static ShapeChannel read(StateReader in, Shape rule) {
        ShapeChannel channel = new ShapeChannel(rule, (int) in.number());
        channel.windows = in.number();
        channel.blocks = in.number();
        channel.spent = in.real();
        channel.lastAlarmBlock = in.signed();
        channel.lastAlarm = in.real();
        channel.strangeness = in.real();
        channel.views.forEach(view -> view.read(in));
        return channel;
    }
}
