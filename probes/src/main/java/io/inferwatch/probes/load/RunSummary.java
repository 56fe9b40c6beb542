package io.inferwatch.probes.load;

import io.inferwatch.schemas.RequestEvent;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The figures of some requests of a run.
 *
 * @param requests that ended
 * @param failed of them, by outcome; those without any are left out
 * @param seconds from the first sending to the last answer
 * @param metrics of every kind
 * @param chunkGapMicros gaps between chunks of all answers together; empty where chunks were not kept
 * @param outputTokens of all answers
 * @param promptTokens of all prompts
 * @param mostOpen requests open at once
 */
record RunSummary(
        long requests,
        Map<String, Long> failed,
        double seconds,
        Map<RequestMetric, Distribution> metrics,
        Distribution chunkGapMicros,
        long promptTokens,
        long outputTokens,
        long mostOpen) {
    RunSummary {
        failed = Collections.unmodifiableMap(new TreeMap<>(failed));
        metrics = Collections.unmodifiableMap(new EnumMap<>(metrics));
    }

    static RunSummary of(List<FinishedRequest> requests) {
        Map<String, Long> failed = new TreeMap<>();
        Map<RequestMetric, Distribution> metrics = new EnumMap<>(RequestMetric.class);
        for (RequestMetric metric : RequestMetric.values()) {
            metrics.put(metric, metric.of(requests));
        }
        for (FinishedRequest request : requests) {
            if (!request.isGood()) {
                failed.merge(request.event().getOutcome().name(), 1L, Long::sum);
            }
        }
        return new RunSummary(
                requests.size(),
                failed,
                RunRecorder.spanSeconds(requests),
                metrics,
                Distribution.of(requests.stream().flatMap(RunSummary::gaps)),
                sum(metrics, RequestMetric.PROMPT_TOKENS),
                sum(metrics, RequestMetric.OUTPUT_TOKENS),
                mostOpen(requests));
    }

    Distribution metric(RequestMetric metric) {
        Distribution distribution = metrics.get(metric);
        if (distribution == null) {
            throw new IllegalStateException(metric + " was left out");
        }
        return distribution;
    }

    long failedTotal() {
        return failed.values().stream().mapToLong(Long::longValue).sum();
    }

    long good() {
        return requests - failedTotal();
    }

    /** Whole answers a second. */
    double requestRate() {
        return seconds > 0 ? good() / seconds : 0;
    }

    /** Tokens of answers a second. */
    double outputRate() {
        return seconds > 0 ? outputTokens / seconds : 0;
    }

    /** Tokens of prompts and answers a second. */
    double totalRate() {
        return seconds > 0 ? (promptTokens + outputTokens) / seconds : 0;
    }

    private static long sum(Map<RequestMetric, Distribution> metrics, RequestMetric metric) {
        Distribution distribution = metrics.get(metric);
        return distribution == null ? 0 : Math.round(distribution.sum());
    }

    static Stream<Integer> gaps(FinishedRequest request) {
        int[] chunks = request.chunkMicros();
        return chunks == null
                ? Stream.empty()
                : IntStream.range(1, chunks.length)
                        .map(i -> chunks[i] - chunks[i - 1])
                        .boxed();
    }

    private static long mostOpen(List<FinishedRequest> requests) {
        long[] begins = requests.stream()
                .mapToLong(FinishedRequest::sentAtMicros)
                .sorted()
                .toArray();
        long[] ends = requests.stream()
                .map(FinishedRequest::event)
                .mapToLong(RequestEvent::getCompletedAtMicros)
                .sorted()
                .toArray();
        long most = 0;
        int ended = 0;
        for (int begun = 0; begun < begins.length; begun++) {
            while (ended < ends.length && ends[ended] <= begins[begun]) {
                ended++;
            }
            most = Math.max(most, begun + 1L - ended);
        }
        return most;
    }

    /** Mean, spread and 95 % limits of a figure over repetitions. */
    record Repeated(double mean, double deviation) {
        static Repeated of(double... values) {
            double mean = Arrays.stream(values).average().orElse(Double.NaN);
            double squares = Arrays.stream(values)
                    .map(value -> (value - mean) * (value - mean))
                    .sum();
            return new Repeated(mean, values.length < 2 ? Double.NaN : Math.sqrt(squares / (values.length - 1)));
        }

        /** Deviation by mean; NaN below two values. */
        double variation() {
            return deviation / mean;
        }
    }
}
