package io.inferwatch.analytics.anomaly;

import java.util.SplittableRandom;

/** Windows of a minute of a latency that follows load: a working day's hump, quiet weekends, noise that resembles its neighbours. */
final class SimulatedSeries {
    static final long MINUTE_MICROS = 60_000_000;

    /** A Monday, 00:00 UTC. */
    static final long MONDAY_MICROS = 1_735_516_800_000_000L;

    static final int DAY = 1440;

    private final SplittableRandom random;
    private double noise;

    SimulatedSeries(long seed) {
        random = new SplittableRandom(seed);
    }

    static long endMicros(int minute) {
        return MONDAY_MICROS + (minute + 1) * MINUTE_MICROS;
    }

    /** Seconds; 1 at night, up to 1.8 on working days and 1.2 at weekends, with noise of 5 %. */
    double next(int minute) {
        noise = 0.5 * noise + Math.sqrt(0.75) * random.nextGaussian();
        return usual(minute) * Math.exp(0.05 * noise);
    }

    static double usual(int minute) {
        boolean isWeekend = Math.floorMod(minute / DAY, 7) >= 5;
        double hump = Math.max(0, Math.sin(2 * Math.PI * (minute % DAY - 480) / DAY));
        return 1 + (isWeekend ? 0.2 : 0.8) * hump;
    }
}
