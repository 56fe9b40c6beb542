package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.anomaly.AnomalyRule.Level;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Arrays;
import java.util.Optional;

/**
 * What is expected of a series at an hour of the week (UTC), as median and spread (1.4826 times the median deviation from what was expected). An hour joins when it is over, unless
 * it was tainted, and moves its cell by its share, by a few spreads at most. An hour of the week that was seen too rarely is spoken for by the same hour
 * of like days: working days, or the weekend. Where there is none either, nothing is expected. Between the middles of hours it is interpolated.
 *
 * <p>Memory: nine bytes for each of 168 cells that was seen, and at most {@value #MOST_SAMPLES} values of the present hour.
 */
final class SeasonalLevel {
    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final int DAY = 24;
    private static final int CELLS = 7 * DAY;

    /** Of the week, from Monday, at the epoch, which was a Thursday. */
    private static final int EPOCH_HOUR = 3 * DAY;

    private static final int WORKING_DAYS = 5;
    private static final int LEAST_SAMPLES = 3;
    private static final int MOST_SAMPLES = 64;
    private static final double MAD_TO_SIGMA = 1.4826;

    private final Level rule;
    private final float[] medians = new float[CELLS];
    private final float[] spreads = new float[CELLS];
    private final int[] seen = new int[CELLS];

    /** Of a level that was accepted. */
    private double offset;

    private long hour = Long.MIN_VALUE;
    private boolean isTainted;
    private float[] values = new float[0];
    private float[] deviations = new float[0];

    /** Every how many values of this hour one is kept, and how many were skipped since. */
    private int stride = 1;

    private int skipped;

    SeasonalLevel(Level rule) {
        this.rule = rule;
    }

    /** Median and spread. */
    record Expectation(double centre, double spread) {}

    /** Empty until a day has been learned, and where no like hour was seen. */
    Optional<Expectation> expect(long atMicros) {
        if (Arrays.stream(seen).filter(times -> times > 0).count() < rule.learnHours()) {
            return Optional.empty();
        }
        long own = Math.floorDiv(atMicros, HOUR_MICROS);
        double within = Math.floorMod(atMicros, HOUR_MICROS) / (double) HOUR_MICROS;
        Optional<Expectation> here = ofCell(cell(own));
        if (here.isEmpty()) {
            return Optional.empty();
        }
        Expectation there = ofCell(cell(within < 0.5 ? own - 1 : own + 1)).orElse(here.get());
        double share = Math.abs(within - 0.5);
        return Optional.of(new Expectation(
                offset + (1 - share) * here.get().centre() + share * there.centre(),
                Math.max(here.get().spread(), there.spread())));
    }

    private static int cell(long hour) {
        return (int) Math.floorMod(hour + EPOCH_HOUR, (long) CELLS);
    }

    private Optional<Expectation> ofCell(int cell) {
        if (seen[cell] >= rule.weeks()) {
            return Optional.of(new Expectation(medians[cell], spreads[cell]));
        }
        boolean isWorkingDay = cell / DAY < WORKING_DAYS;
        int first = isWorkingDay ? 0 : WORKING_DAYS;
        int last = isWorkingDay ? WORKING_DAYS : CELLS / DAY;
        double[] centres = new double[last - first];
        double[] widths = new double[last - first];
        int like = 0;
        for (int day = first; day < last; day++) {
            int other = day * DAY + cell % DAY;
            if (seen[other] > 0) {
                centres[like] = medians[other];
                widths[like] = spreads[other];
                like++;
            }
        }
        return like == 0 ? Optional.empty() : Optional.of(new Expectation(median(centres, like), median(widths, like)));
    }

    /** Takes in a value, on the series' scale, with what was expected of it. */
    void learn(long atMicros, double value, Optional<Expectation> expected, boolean isAnomalous) {
        long now = Math.floorDiv(atMicros, HOUR_MICROS);
        if (now != hour) {
            close();
            hour = now;
        }
        isTainted |= isAnomalous;
        if (++skipped < stride) {
            return;
        }
        skipped = 0;
        if (values.length == MOST_SAMPLES) {
            stride *= 2;
            values = everySecond(values);
            deviations = everySecond(deviations);
        }
        values = Arrays.copyOf(values, values.length + 1);
        values[values.length - 1] = (float) (value - offset);
        deviations = Arrays.copyOf(deviations, values.length);
        deviations[values.length - 1] =
                expected.map(one -> (float) Math.abs(value - one.centre())).orElse(Float.NaN);
    }

    private static float[] everySecond(float[] samples) {
        float[] kept = new float[samples.length / 2];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = samples[2 * i + 1];
        }
        return kept;
    }

    private void close() {
        if (values.length >= LEAST_SAMPLES && !isTainted) {
            join(cell(hour));
        }
        values = new float[0];
        deviations = new float[0];
        stride = 1;
        skipped = 0;
        isTainted = false;
    }

    private void join(int cell) {
        double centre = median(doubles(values), values.length);
        double[] widths = new double[values.length];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Float.isNaN(deviations[i]) ? Math.abs(values[i] - centre) : deviations[i];
        }
        double width = MAD_TO_SIGMA * median(widths, widths.length);
        if (seen[cell] >= rule.weeks()) {
            double cap = rule.capSpreads() * spreads[cell];
            centre = Math.max(medians[cell] - cap, Math.min(medians[cell] + cap, centre));
            width = Math.min(width, cap);
        }
        double weight = Math.max(rule.leastWeight(), 1.0 / (seen[cell] + 1));
        medians[cell] += (float) (weight * (centre - medians[cell]));
        spreads[cell] += (float) (weight * (width - spreads[cell]));
        seen[cell] = Math.min(seen[cell] + 1, Byte.MAX_VALUE);
    }

    /** The level is another one from now on, at every hour. */
    void accept(double change) {
        offset += change;
        close();
    }

    private static double[] doubles(float[] samples) {
        double[] copy = new double[samples.length];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = samples[i];
        }
        return copy;
    }

    /** Of the first values, which it sorts. */
    static double median(double[] values, int count) {
        Arrays.sort(values, 0, count);
        return (values[(count - 1) / 2] + values[count / 2]) / 2;
    }

    void write(StateWriter out) {
        for (int cell = 0; cell < CELLS; cell++) {
            out.octet(seen[cell]);
            if (seen[cell] > 0) {
                out.single(medians[cell]);
                out.single(spreads[cell]);
            }
        }
        out.real(offset);
        out.signed(hour);
        out.octet(isTainted ? 1 : 0);
        out.number(values.length);
        for (int i = 0; i < values.length; i++) {
            out.single(values[i]);
            out.single(deviations[i]);
        }
        out.number(stride);
        out.number(skipped);
    }

    static SeasonalLevel read(StateReader in, Level rule) {
        SeasonalLevel level = new SeasonalLevel(rule);
        for (int cell = 0; cell < CELLS; cell++) {
            level.seen[cell] = in.octet();
            if (level.seen[cell] > 0) {
                level.medians[cell] = in.single();
                level.spreads[cell] = in.single();
            }
        }
        level.offset = in.real();
        level.hour = in.signed();
        level.isTainted = in.octet() == 1;
        level.values = new float[(int) in.number()];
        level.deviations = new float[level.values.length];
        for (int i = 0; i < level.values.length; i++) {
            level.values[i] = in.single();
            level.deviations[i] = in.single();
        }
        level.stride = (int) in.number();
        level.skipped = (int) in.number();
        return level;
    }
}
