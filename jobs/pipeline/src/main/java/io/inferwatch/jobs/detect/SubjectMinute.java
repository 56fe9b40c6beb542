package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a window tells of a subject's minute: of the fleet, a model, a version, a node, a replica, a tenant, a class, or like requests of a model. Windows of one subject add up.
 *
 * @param subject its kind and name: {@code node/n1}, {@code fleet}
 * @param numerators by {@link CauseReading}; not a number where nothing is told
 * @param failed requests
 * @param latencies sketch of end-to-end latencies, encoded; empty without any
 */
public record SubjectMinute(
        String subject, long endMicros, double[] numerators, double[] denominators, long failed, byte[] latencies) {
    static final String FLEET = "fleet";
    static final String LIKE_REQUESTS = "mix";
    private static final double USUAL = 0.9;

    /** Those of a window; none of views that tell of no subject. */
    static List<SubjectMinute> of(View view, WindowStat window) {
        WindowReading reading = new WindowReading(window);
        List<String> subjects = new ArrayList<>();
        switch (view.name()) {
            case "fleet", "engine-fleet", "gpu-fleet" -> subjects.add(FLEET);
            case "model-version" -> {
                add(subjects, reading, "model");
                add(subjects, reading, "version");
            }
            case "engine-model", "gpu-model" -> add(subjects, reading, "model");
            case "node", "gpu-node" -> add(subjects, reading, "node");
            case "replica-version", "engine-replica", "gpu-replica" -> add(subjects, reading, "replica");
            case "tenant-model" -> add(subjects, reading, "tenant");
            case "class-model-version" -> add(subjects, reading, "class");
            case "mix-model-version" ->
                subjects.add(LIKE_REQUESTS + '/' + reading.dimension("model") + '/' + reading.dimension("mix"));
            default -> {
                return List.of();
            }
        }
        if (subjects.isEmpty()) {
            return List.of();
        }
        double[] numerators = new double[CauseReading.COUNT];
        double[] denominators = new double[CauseReading.COUNT];
        Arrays.fill(numerators, Double.NaN);
        for (CauseReading one : CauseReading.values()) {
            double[] told = one.of(view.of(), reading);
            if (told != null) {
                numerators[one.ordinal()] = told[0];
                denominators[one.ordinal()] = told[1];
            }
        }
        byte[] latencies =
                reading.distribution("e2e").map(SketchEncoding::encode).orElse(new byte[0]);
        long failed = reading.sum("failed");
        return subjects.stream()
                .map(subject -> new SubjectMinute(
                        subject, window.getWindowEndMicros(), numerators, denominators, failed, latencies))
                .toList();
    }

    private static void add(List<String> subjects, WindowReading window, String dimension) {
        String value = window.dimension(dimension);
        if (!value.equals(GroupingDimension.NONE)) {
            subjects.add(dimension + '/' + value);
        }
    }

    /** Both together. */
    SubjectMinute plus(SubjectMinute other) {
        double[] sums = numerators.clone();
        double[] weights = denominators.clone();
        for (int i = 0; i < sums.length; i++) {
            if (!Double.isNaN(other.numerators[i])) {
                sums[i] = other.numerators[i] + (Double.isNaN(sums[i]) ? 0 : sums[i]);
                weights[i] += other.denominators[i];
            }
        }
        return new SubjectMinute(
                subject, endMicros, sums, weights, failed + other.failed, merged(latencies, other.latencies));
    }

    private static byte[] merged(byte[] one, byte[] other) {
        if (one.length == 0 || other.length == 0) {
            return one.length == 0 ? other : one;
        }
        QuantileSketch sketch = SketchEncoding.decode(one);
        sketch.merge(SketchEncoding.decode(other));
        return SketchEncoding.encode(sketch);
    }

    /**
     * The minute's readings.
     *
     * @param usualTailMicros what nine in ten requests of the subject were faster than before; not a number where that is not known
     */
    float[] readings(double usualTailMicros) {
        float[] readings = new float[CauseReading.COUNT];
        for (CauseReading one : CauseReading.values()) {
            int i = one.ordinal();
            readings[i] = Double.isNaN(numerators[i]) ? Float.NaN : (float) one.value(numerators[i], denominators[i]);
        }
        double bad = failed;
        float tail = Float.NaN;
        if (latencies.length > 0) {
            QuantileSketch sketch = SketchEncoding.decode(latencies);
            tail = sketch.n() == 0 ? Float.NaN : (float) sketch.quantile(USUAL);
            bad += Double.isNaN(usualTailMicros) ? 0 : above(sketch, usualTailMicros);
        }
        readings[CauseReading.USUAL_TAIL.ordinal()] = tail;
        readings[CauseReading.BAD.ordinal()] =
                Double.isNaN(numerators[CauseReading.REQUESTS.ordinal()]) ? Float.NaN : (float) bad;
        return readings;
    }

    /** How many were slower, beyond the tenth that always is. */
    private static double above(QuantileSketch sketch, double micros) {
        long slower = sketch.countAbove(LogBuckets.index(Math.max(1, Math.round(micros))));
        return Math.max(0, slower - (1 - USUAL) * sketch.n());
    }
}
