package io.inferwatch.probes.load;

import io.inferwatch.probes.process.DurationConverter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** When a run is over, when it is invalid, and when the server is over its limits; to be mixed in. */
final class LimitOptions {
    private static final double USUAL_BREAKER = 1.5;

    @Option(
            names = "--p99-limit",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Limit of P99 over any sliding minute within a step, from the schedule: above is a breach.")
    private @Nullable Duration p99Limit;

    @Option(
            names = "--p99-breaker",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Above, the load is cut off at once. Default: one and a half times the limit.")
    private @Nullable Duration p99Breaker;

    @Option(
            names = "--p99-of",
            paramLabel = "ttft|e2e",
            defaultValue = "ttft",
            converter = LatencyConverter.class,
            description = "What the limit is of. Default: ${DEFAULT-VALUE}.")
    private StepRule.Latency p99Of = StepRule.Latency.TTFT;

    @Option(
            names = "--p99-from-rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Requests a second from which on the limit holds. Default: ${DEFAULT-VALUE}.")
    private double p99FromRate;

    @Option(
            names = "--max-lag",
            paramLabel = "DURATION",
            defaultValue = "5ms",
            converter = DurationConverter.class,
            description =
                    "P99 of the generator's own lateness above which the run is invalid. Default: ${DEFAULT-VALUE}.")
    Duration maxLag = Duration.ofMillis(5);

    @Option(
            names = "--max-error-ratio",
            paramLabel = "RATIO",
            description = "Share of failed requests, of a hundred or more, above which the run is stopped.")
    @Nullable
    Double maxErrorRatio;

    @Option(
            names = "--stop-over-saturated",
            description =
                    "Stops when the server no longer keeps up: requests in flight and TTFT rise, surely and beyond what is tolerable.")
    boolean stopOverSaturated;

    @Option(
            names = "--tolerable-ttft",
            paramLabel = "DURATION",
            defaultValue = "2500ms",
            converter = DurationConverter.class,
            description = "TTFT up to which nothing is over-saturated. Default: ${DEFAULT-VALUE}.")
    Duration tolerableTtft = Duration.ofMillis(2_500);

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "After which an answer no longer counts. Default: ${DEFAULT-VALUE}.")
    Duration requestTimeout = Duration.ofMinutes(10);

    @Option(
            names = "--drain",
            paramLabel = "DURATION",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "How long open requests may go on after a stop or --duration. Default: ${DEFAULT-VALUE}.")
    Duration drain = Duration.ofSeconds(30);

    /**
     * The rule for steps; empty without a limit.
     *
     * @throws IllegalArgumentException when it makes no sense
     */
    Optional<StepRule> stepRule() {
        Duration limit = p99Limit;
        if (limit == null) {
            if (p99Breaker != null) {
                throw new IllegalArgumentException("--p99-breaker: must come with --p99-limit");
            }
            return Optional.empty();
        }
        Duration breaker = p99Breaker == null ? Duration.ofNanos((long) (limit.toNanos() * USUAL_BREAKER)) : p99Breaker;
        return Optional.of(new StepRule(p99Of, limit, breaker, p99FromRate));
    }

    static final class LatencyConverter implements ITypeConverter<StepRule.Latency> {
        @Override
        public StepRule.Latency convert(String text) {
            for (StepRule.Latency latency : StepRule.Latency.values()) {
                if (latency.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return latency;
                }
            }
            throw new TypeConversionException("must be ttft or e2e, found '" + text + "'");
        }
    }
}
