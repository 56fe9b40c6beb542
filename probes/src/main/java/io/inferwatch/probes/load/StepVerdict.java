package io.inferwatch.probes.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one step of the load came to.
 *
 * @param step from 1
 * @param askedRate requests a second
 * @param beginAtMicros of the first request that was due in it
 * @param seconds from there to the last one's time
 * @param requests that were due in it and ended
 * @param failed of them
 * @param rate requests a second that were due
 * @param p99Micros of the worst window, {@link #FAILED_MICROS} where more than one in a hundred failed; null where no window has requests enough
 * @param answer the verdict
 */
record StepVerdict(
        int step,
        double askedRate,
        long beginAtMicros,
        double seconds,
        long requests,
        long failed,
        double rate,
        @Nullable Long p99Micros,
        Answer answer) {
    /** P99 of which nothing is known but that no answer came. */
    static final long FAILED_MICROS = Long.MAX_VALUE;

    private static final long SECOND = 1_000_000;

    /** What is said. */
    enum Answer {
        PASS("pass"),
        BREACH("breach"),
        CIRCUIT_BREAKER("circuit-breaker"),
        /** Too few requests for a P99. */
        NOT_ESTIMABLE("not-estimable"),
        /** The load was cut off before. */
        NOT_RUN("not-run");

        private final String label;

        Answer(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** A latency and the moment at which it began to count. */
    private record Value(long dueAtMicros, long micros) {}

    /**
     * The verdict on a step.
     *
     * @param all that belong to it, in any order
     */
    static StepVerdict of(int step, double askedRate, List<FinishedRequest> all, StepRule rule) {
        if (all.isEmpty()) {
            return new StepVerdict(step, askedRate, 0, 0, 0, 0, 0, null, Answer.NOT_RUN);
        }
        List<Value> values = new ArrayList<>(all.size());
        for (FinishedRequest request : all) {
            Long micros = request.isGood() ? rule.latency().micros(request) : null;
            values.add(new Value(request.dueAtMicros(), micros == null ? FAILED_MICROS : micros));
        }
        values.sort((a, b) -> Long.compare(a.dueAtMicros(), b.dueAtMicros()));
        long begin = values.get(0).dueAtMicros();
        long end = values.get(values.size() - 1).dueAtMicros() + 1;
        Long worst = worst(values, begin, end, rule);
        double seconds = (end - begin) / (double) SECOND;
        return new StepVerdict(
                step,
                askedRate,
                begin,
                seconds,
                values.size(),
                values.stream().filter(value -> value.micros() == FAILED_MICROS).count(),
                values.size() / Math.max(1, seconds),
                worst,
                answer(worst, values, begin, end, rule));
    }

    private static Answer answer(@Nullable Long worst, List<Value> values, long begin, long end, StepRule rule) {
        if (worst == null) {
            // No window was full enough, or none had the rate from which on the limit holds.
            boolean isSlowEnough = values.size() / Math.max(1, (end - begin) / (double) SECOND) < rule.leastRate();
            return isSlowEnough && values.size() >= StepRule.LEAST_REQUESTS ? Answer.PASS : Answer.NOT_ESTIMABLE;
        }
        if (worst > rule.breakerMicros()) {
            return Answer.CIRCUIT_BREAKER;
        }
        return worst > rule.limitMicros() ? Answer.BREACH : Answer.PASS;
    }

    /** The greatest P99 of all windows for which the rule holds; of a step shorter than a window, its own. */
    private static @Nullable Long worst(List<Value> values, long begin, long end, StepRule rule) {
        Long worst = null;
        long length = Math.min(StepRule.WINDOW_SECONDS * SECOND, end - begin);
        int first = 0;
        int last = 0;
        for (long from = begin; from + length <= end; from += SECOND) {
            while (first < values.size() && values.get(first).dueAtMicros() < from) {
                first++;
            }
            while (last < values.size() && values.get(last).dueAtMicros() < from + length) {
                last++;
            }
            int n = last - first;
            if (n >= StepRule.LEAST_REQUESTS && n * (double) SECOND / length >= rule.leastRate()) {
                long p99 = p99(values.subList(first, last));
                worst = worst == null ? p99 : Math.max(worst, p99);
            }
        }
        return worst;
    }

    /** The order statistic of rank ceil(0.99 n). */
    private static long p99(List<Value> values) {
        long[] sorted = values.stream().mapToLong(Value::micros).toArray();
        Arrays.sort(sorted);
        return sorted[(int) ((99L * sorted.length + 99) / 100) - 1];
    }
}
