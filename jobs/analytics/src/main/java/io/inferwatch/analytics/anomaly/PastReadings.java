package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;

/**
 * How often a channel's readings were that strange before: the empirical p-value, and beyond the last readings an exponential tail over the 95th percentile. So a series that is
 * always restless must be stranger than a calm one. Readings count at most {@value #MOST_STRANGENESS} limits, so that an anomaly does not become the measure of the next.
 */
final class PastReadings {
    private static final double GRAIN = 1e-3;
    private static final double MOST_STRANGENESS = 2;
    private static final double TAIL = 0.05;
    private static final int LEAST_ABOVE = 15;

    /** The tail's mean excess is at least this, in limits: so much do readings differ anyway. */
    private static final double LEAST_EXCESS = 0.05;

    private final QuantileSketch readings;

    PastReadings() {
        this(new QuantileSketch());
    }

    private PastReadings(QuantileSketch readings) {
        this.readings = readings;
    }

    void add(double strangeness) {
        readings.add(Math.round(Math.min(MOST_STRANGENESS, strangeness) / GRAIN));
    }

    long n() {
        return readings.n();
    }

    /** Chance of a reading at least that strange, if all is as before. */
    double p(double strangeness) {
        long grains = (long) (strangeness / GRAIN);
        long above = readings.countAbove(LogBuckets.index(Math.max(1, grains)));
        if (above >= LEAST_ABOVE) {
            return (above + 1.0) / (readings.n() + 1);
        }
        double start = readings.quantile(1 - TAIL);
        Excess excess = new Excess(start);
        readings.forEachBucket(excess);
        double mean = Math.max(LEAST_EXCESS, GRAIN * excess.sum / (TAIL * readings.n()));
        return TAIL * Math.exp(-Math.max(0, strangeness - start * GRAIN) / mean);
    }

    private static final class Excess implements QuantileSketch.BucketVisitor {
        private final double start;
        private double sum;

        Excess(double start) {
            this.start = start;
        }

        @Override
        public void visit(int bucket, long count) {
            double over = (bucket < 0 ? 0 : LogBuckets.representative(bucket)) - start;
            sum += Math.max(0, over) * count;
        }
    }

    void write(StateWriter out) {
        out.part(SketchEncoding.encode(readings));
    }

    static PastReadings read(StateReader in) {
        return new PastReadings(SketchEncoding.decode(in.part()));
    }
}
