package io.inferwatch.report;

import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.analytics.drift.Statistic;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The values of one dimension as they are read: of each all that was seen, and in which minutes; of the baseline a number for each minute
 * that has values enough. Memory: a sketch for each value, and for each of the baseline's minutes that are not read to their end.
 */
final class Arms implements StoredSketches.Taker {
    private final String baseline;
    private final Statistic statistic;
    private final long leastN;
    private final Map<String, Arm> byValue = new TreeMap<>();
    private final Map<Long, QuantileSketch> open = new TreeMap<>();
    private final List<Double> scores = new ArrayList<>();

    /** One value. */
    record Arm(QuantileSketch sketch, Set<Long> minutes) {
        /** All its values together. */
        Sample sample() {
            return Sample.Values.of(sketch);
        }

        /** Whether both were there at the same time: each in nine of ten minutes of the other. */
        boolean isBeside(Arm other) {
            long common = minutes.stream().filter(other.minutes::contains).count();
            return 10 * common >= 9L * Math.max(minutes.size(), other.minutes.size());
        }
    }

    Arms(ComparisonRequest request) {
        this.baseline = request.baseline();
        this.statistic = request.test();
        this.leastN = statistic.leastN(request.rule());
    }

    @Override
    public void take(List<String> values, long minuteEndMicros, QuantileSketch sketch) {
        String value = values.get(0);
        Arm arm = byValue.computeIfAbsent(value, key -> new Arm(new QuantileSketch(), new HashSet<>()));
        arm.sketch.merge(sketch);
        arm.minutes.add(minuteEndMicros);
        if (value.equals(baseline)) {
            open.computeIfAbsent(minuteEndMicros, key -> new QuantileSketch()).merge(sketch);
        }
    }

    @Override
    public void readUpTo(long endMicros) {
        for (QuantileSketch minute : open.values()) {
            if (minute.n() >= leastN) {
                statistic.score(Sample.Values.of(minute)).ifPresent(scores::add);
            }
        }
        open.clear();
    }

    /** By value, in the order of their names. */
    Map<String, Arm> byValue() {
        return byValue;
    }

    /** The statistic in each minute of the baseline that has values enough, in the scale of its changes. */
    List<Double> scores() {
        return scores;
    }
}
