package io.inferwatch.report;

import io.inferwatch.analytics.memory.Boundaries;
import io.inferwatch.analytics.memory.BoundaryAdvice;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * An answer to a {@link BucketsRequest}.
 *
 * @param days with data, in the period
 * @param n values
 * @param current what the advice is compared with: the present boundaries, or powers of two where none are given
 */
record BucketsReport(BucketsRequest request, int days, long n, Boundaries current, BoundaryAdvice advice) {
    private static final long DAY_MICROS = Duration.ofDays(1).toSeconds() * 1_000_000;

    /** Reads the sketches of the period, day by day; empty without values that the boundaries hold. */
    static Optional<BucketsReport> read(BucketsRequest request, StoredSketches sketches) {
        Map<Long, QuantileSketch> byDay = new TreeMap<>();
        sketches.read(request.sketches(), (values, minuteEndMicros, sketch) -> {
            if (request.takes(values)) {
                // The last minute of a day ends with it.
                byDay.computeIfAbsent((minuteEndMicros - 1) / DAY_MICROS, day -> new QuantileSketch())
                        .merge(sketch);
            }
        });
        List<QuantileSketch> days =
                byDay.values().stream().filter(day -> day.n() > 0).toList();
        if (days.isEmpty()) {
            return Optional.empty();
        }
        long greatest = days.stream().mapToLong(QuantileSketch::max).max().orElseThrow();
        Boundaries current = request.current().orElseGet(() -> powersOfTwo(greatest));
        return BoundaryAdvice.of(days, current, request.count())
                .map(advice -> new BucketsReport(
                        request,
                        days.size(),
                        days.stream().mapToLong(QuantileSketch::n).sum(),
                        current,
                        advice));
    }

    private static Boundaries powersOfTwo(long greatest) {
        return new Boundaries(LongStream.iterate(1, size -> size < 2 * Math.max(1, greatest), size -> 2 * size)
                .boxed()
                .toList());
    }
}
