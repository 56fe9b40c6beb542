package io.inferwatch.local.bench;

import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.fleet.Arrival;
import io.inferwatch.simulation.fleet.FleetSink;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.ServerSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** A Poisson load of given lengths on one simulated server in virtual time: the same seed gives the same arrivals, whatever the lengths. */
record VirtualLoad(
        double ratePerSecond, int requests, IntUnaryOperator promptTokens, IntUnaryOperator answerTokens, long seed) {
    private static final Duration DRAIN = Duration.ofMinutes(30);
    /** Of Llama 3.1 8B: 32 layers of 8 heads of 128 numbers of two bytes, twice. */
    private static final double CACHE_BYTES_PER_TOKEN = 131_072;

    /**
     * What came of it.
     *
     * @param seconds from the first arrival to the last answer
     * @param cacheBytesPerSecond read of the KV cache by decoding
     */
    record Outcomes(
            long completed,
            double seconds,
            double promptTokensPerSecond,
            double outputTokensPerSecond,
            double cacheBytesPerSecond,
            double ttftP99Seconds,
            double e2eP95Seconds) {
        double requestsPerSecond() {
            return completed / seconds;
        }
    }

    Outcomes play(EngineSpec engine) {
        List<RequestEvent> ended = new ArrayList<>();
        FleetSink sink = new FleetSink() {
            @Override
            public void accept(RequestEvent event) {
                ended.add(event);
            }

            @Override
            public void accept(Heartbeat heartbeat) {
                // Nobody watches.
            }
        };
        VirtualFleet fleet = new VirtualFleet(
                "bench", List.of(ServerSpec.usual(0, seed).withEngine(engine)), arrivals(), Instant.EPOCH, sink);
        fleet.run(Duration.ofSeconds((long) (requests / ratePerSecond)).plus(DRAIN));
        return outcomes(ended.stream()
                .filter(event -> event.getOutcome() == Outcome.OK || event.getOutcome() == Outcome.LENGTH)
                .toList());
    }

    private Iterator<Arrival> arrivals() {
        DoubleSupplier gaps = new Gaps.Exponential(1 / ratePerSecond).sampler(new SplittableRandom(seed)::nextLong);
        double[] seconds = new double[1];
        return IntStream.range(0, requests)
                .mapToObj(i -> {
                    seconds[0] += gaps.getAsDouble();
                    return Arrival.alone(
                            (long) (seconds[0] * 1e9), i, promptTokens.applyAsInt(i), answerTokens.applyAsInt(i));
                })
                .iterator();
    }

    private static Outcomes outcomes(List<RequestEvent> completed) {
        long first = completed.stream()
                .mapToLong(RequestEvent::getStartedAtMicros)
                .min()
                .orElseThrow();
        long last = completed.stream()
                .mapToLong(RequestEvent::getCompletedAtMicros)
                .max()
                .orElseThrow();
        double seconds = (last - first) / 1e6;
        double read = completed.stream()
                .mapToDouble(
                        event -> event.getOutputTokens() * (event.getPromptTokens() + event.getOutputTokens() / 2.0))
                .sum();
        return new Outcomes(
                completed.size(),
                seconds,
                sum(completed, RequestEvent::getPromptTokens) / seconds,
                sum(completed, RequestEvent::getOutputTokens) / seconds,
                read * CACHE_BYTES_PER_TOKEN / seconds,
                quantile(completed, RequestEvent::getTtftMicros, 0.99),
                quantile(completed, RequestEvent::getE2eMicros, 0.95));
    }

    private static double sum(List<RequestEvent> events, ToLongFunction<RequestEvent> value) {
        return events.stream().mapToLong(value).sum();
    }

    private static double quantile(List<RequestEvent> events, ToLongFunction<RequestEvent> micros, double share) {
        long[] sorted = events.stream().mapToLong(micros).toArray();
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
    }
}
