package io.inferwatch.simulation.http;

import java.util.stream.LongStream;

/** Counts of values in buckets, as Prometheus means them. Not thread safe. */
final class Histogram {
    private final double[] bounds;
    private final long[] counts;
    private double sum;

    /** Buckets up to each bound, and one beyond. */
    Histogram(double... bounds) {
        this.bounds = bounds.clone();
        this.counts = new long[bounds.length + 1];
    }

    /** Bounds 1, 2, 5, 10, 20, 50 and so on up to the limit. */
    static Histogram oneTwoFive(long limit) {
        return new Histogram(LongStream.iterate(1, power -> power <= limit, power -> power * 10)
                .flatMap(power -> LongStream.of(power, 2 * power, 5 * power))
                .filter(bound -> bound <= limit)
                .asDoubleStream()
                .toArray());
    }

    void add(double value) {
        int bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        counts[bucket]++;
        sum += value;
    }

    int bounds() {
        return bounds.length;
    }

    double bound(int bucket) {
        return bounds[bucket];
    }

    /** Values up to that bound. */
    long countUpTo(int bucket) {
        long count = 0;
        for (int i = 0; i <= bucket; i++) {
            count += counts[i];
        }
        return count;
    }

    long count() {
        return countUpTo(bounds.length);
    }

    double sum() {
        return sum;
    }
}
