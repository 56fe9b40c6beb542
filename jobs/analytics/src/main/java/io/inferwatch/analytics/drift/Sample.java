package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What windows hold of one metric: a distribution, or counts. Immutable as far as its users leave the sketches alone. */
public sealed interface Sample {
    /** Values, trials, or events. */
    long n();

    /** Both together; of the same kind. */
    Sample plus(Sample other);

    /** A distribution, by kind of traffic where that is told apart. Not thread safe. */
    final class Values implements Sample {
        private final Map<String, QuantileSketch> byBucket;
        private @Nullable QuantileSketch total;

        /**
         * Values.
         *
         * @param byBucket by bucket of the traffic's mix; a single one of any name where nothing is told apart
         */
        public Values(Map<String, QuantileSketch> byBucket) {
            this.byBucket = Collections.unmodifiableMap(new TreeMap<>(byBucket));
        }

        /** All values of one kind. */
        public static Values of(QuantileSketch sketch) {
            return new Values(Map.of("", sketch));
        }

        /** The values by bucket of the traffic's mix, in the buckets' order. */
        public Map<String, QuantileSketch> byBucket() {
            return byBucket;
        }

        @Override
        public long n() {
            long n = 0;
            for (QuantileSketch sketch : byBucket.values()) {
                n += sketch.n();
            }
            return n;
        }

        /** The sketch of all values, merged once; not to be changed. */
        public QuantileSketch total() {
            if (total == null) {
                total = merged();
            }
            return total;
        }

        private QuantileSketch merged() {
            if (byBucket.size() == 1) {
                return byBucket.values().iterator().next();
            }
            QuantileSketch merged = new QuantileSketch();
            byBucket.values().forEach(merged::merge);
            return merged;
        }

        @Override
        public Sample plus(Sample other) {
            Map<String, QuantileSketch> theirs = ((Values) other).byBucket;
            Set<String> buckets = new TreeSet<>(byBucket.keySet());
            buckets.addAll(theirs.keySet());
            Map<String, QuantileSketch> sum = new TreeMap<>();
            for (String bucket : buckets) {
                QuantileSketch sketch = new QuantileSketch();
                merge(sketch, byBucket.get(bucket));
                merge(sketch, theirs.get(bucket));
                sum.put(bucket, sketch);
            }
            return new Values(sum);
        }

        private static void merge(QuantileSketch into, @Nullable QuantileSketch sketch) {
            if (sketch != null) {
                into.merge(sketch);
            }
        }
    }

    /**
     * Counts.
     *
     * @param events hits of a share, events of a rate; at least 0
     * @param of trials of a share, what a rate is counted over; at least 0, for a share no less than events
     */
    record Counts(long events, long of) implements Sample {
        @Override
        public long n() {
            return of;
        }

        @Override
        public Sample plus(Sample other) {
            Counts counts = (Counts) other;
            return new Counts(events + counts.events, of + counts.of);
        }
    }
}
