package io.inferwatch.simulation.fleet;

import io.inferwatch.simulation.serving.Lognormal;
import java.time.Duration;
import java.util.Iterator;
import java.util.SplittableRandom;

/**
 * Requests without end, the same for the same seed, at exponential intervals, of two kinds that do not change: short prompts (300 tokens
 * in the median) and long ones (4,000). Their shares can change at a moment: a shift of the traffic's mix and of nothing else.
 */
public final class TwoKindsLoad implements Iterator<Arrival> {
    private static final Lognormal SHORT = new Lognormal(300, 0.3);
    private static final Lognormal LONG = new Lognormal(4_000, 0.3);
    private static final Lognormal ANSWER = new Lognormal(20, 0.4);

    private final double perSecond;
    private final SplittableRandom random;
    private final double longShare;
    private long shiftNanos = Long.MAX_VALUE;
    private double shiftedShare;
    private long nowNanos;
    private long number;

    /**
     * A load.
     *
     * @param perSecond requests on average
     * @param longShare share of long prompts, 0 to 1
     */
    public TwoKindsLoad(double perSecond, double longShare, long seed) {
        this.perSecond = perSecond;
        this.longShare = longShare;
        this.random = new SplittableRandom(seed);
    }

    /** From a moment on another share of the prompts is long. */
    public TwoKindsLoad shifted(Duration after, double share) {
        shiftNanos = after.toNanos();
        shiftedShare = share;
        return this;
    }

    @Override
    public boolean hasNext() {
        return true;
    }

    @Override
    public Arrival next() {
        nowNanos += Math.round(-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        boolean isLong = random.nextDouble() < (nowNanos < shiftNanos ? longShare : shiftedShare);
        return Arrival.alone(nowNanos, number++, tokens(isLong ? LONG : SHORT), tokens(ANSWER));
    }

    private int tokens(Lognormal length) {
        return Math.max(1, (int) Math.round(length.next(random)));
    }
}
