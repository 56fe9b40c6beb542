package io.inferwatch.probes.load;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Single values and what is said of them. Quantiles lie on the straight line between order statistics, as numpy's do and with them those of the tools whose formats are exported; the standard deviation is that of
 * the values themselves, as theirs is.
 */
final class Distribution {
    private final double[] sorted;

    private Distribution(double[] sorted) {
        this.sorted = sorted;
    }

    /** The values that are there. */
    static Distribution of(Stream<? extends @Nullable Number> values) {
        double[] present = values.filter(Objects::nonNull)
                .mapToDouble(value -> Objects.requireNonNull(value).doubleValue())
                .toArray();
        Arrays.sort(present);
        return new Distribution(present);
    }

    /** The values that the requests have. */
    static Distribution of(Iterable<FinishedRequest> requests, Function<FinishedRequest, @Nullable Number> value) {
        Stream.Builder<@Nullable Number> values = Stream.builder();
        requests.forEach(request -> values.add(value.apply(request)));
        return of(values.build());
    }

    /** The same values times a factor, for another unit. */
    Distribution times(double factor) {
        return new Distribution(
                Arrays.stream(sorted).map(value -> value * factor).toArray());
    }

    int n() {
        return sorted.length;
    }

    boolean isEmpty() {
        return sorted.length == 0;
    }

    double sum() {
        return Arrays.stream(sorted).sum();
    }

    double mean() {
        requireValues();
        return sum() / sorted.length;
    }

    double min() {
        requireValues();
        return sorted[0];
    }

    double max() {
        requireValues();
        return sorted[sorted.length - 1];
    }

    double deviation() {
        double mean = mean();
        return Math.sqrt(Arrays.stream(sorted)
                        .map(value -> (value - mean) * (value - mean))
                        .sum()
                / sorted.length);
    }

    /** A quantile, from 0 to 1. */
    double quantile(double share) {
        requireValues();
        double rank = share * (sorted.length - 1);
        int low = (int) rank;
        int high = Math.min(low + 1, sorted.length - 1);
        return sorted[low] + (rank - low) * (sorted[high] - sorted[low]);
    }

    private void requireValues() {
        if (sorted.length == 0) {
            throw new IllegalStateException("there are no values");
        }
    }
}
