package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.catalogue.Metric.Origin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A reading of a minute that may show a cause. The order is that of bytes in state: new ones come last. */
enum CauseReading {
    REQUESTS(Origin.REQUESTS, Kind.SUM, "request_rate", "requests"),
    /** Requests that failed, or were slower than nine in ten of the same subject before. */
    BAD(Origin.REQUESTS, Kind.LATER, ""),
    /** What nine in ten complete requests were faster than, microseconds. */
    USUAL_TAIL(Origin.REQUESTS, Kind.LATER, ""),
    PROMPT_TOKENS(Origin.REQUESTS, Kind.MEAN, "prompt_tokens", "prompt_tokens"),
    QUEUE(Origin.REQUESTS, Kind.MEAN, "", "queue"),
    PREFILL(Origin.REQUESTS, Kind.MEAN, "", "prefill"),
    DECODE(Origin.REQUESTS, Kind.MEAN, "", "decode"),
    GATEWAY(Origin.REQUESTS, Kind.MEAN, "", "gateway"),
    AUTHENTICATION(Origin.REQUESTS, Kind.MEAN, "authentication", "authentication"),
    GUARDRAIL(Origin.REQUESTS, Kind.MEAN, "", "guardrail"),
    TOKENIZE(Origin.REQUESTS, Kind.MEAN, "", "tokenize"),
    POSTPROCESS(Origin.REQUESTS, Kind.MEAN, "", "postprocess"),
    WAITING(Origin.ENGINE, Kind.GAUGE, "waiting_requests", "waiting_requests"),
    KV_USAGE(Origin.ENGINE, Kind.GAUGE, "kv_usage", "kv_usage"),
    PREEMPTIONS(Origin.ENGINE, Kind.SUM, "preemptions", "preemptions"),
    PREFIX_HITS(Origin.ENGINE, Kind.RATIO, "prefix_hit_ratio", "prefix_hits", "prefix_queried"),
    KV_TRANSFER(Origin.ENGINE, Kind.SUM, "kv_transfer", "kv_transfer"),
    SM_CLOCK(Origin.GPU, Kind.GAUGE, "sm_clock", "sm_clock"),
    TEMPERATURE(Origin.GPU, Kind.GAUGE, "gpu_temperature", "temperature"),
    THROTTLED(Origin.GPU, Kind.SUM, "throttled", "power_throttled", "thermal_throttled"),
    LINK_ERRORS(Origin.GPU, Kind.SUM, "link_errors", "nvlink_errors", "pcie_replays");

    /** How many there are. */
    static final int COUNT = values().length;

    /** What is read of windows. */
    static final Set<String> METRICS = Stream.concat(
                    Stream.of("e2e", "failed"), Arrays.stream(values()).flatMap(reading -> reading.metrics.stream()))
            .collect(Collectors.toUnmodifiableSet());

    /** How it is read. */
    private enum Kind {
        SUM,
        MEAN,
        GAUGE,
        RATIO,
        /** Not of a window alone. */
        LATER
    }

    private final Origin origin;
    private final Kind kind;
    private final String signal;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<String> metrics;

    CauseReading(Origin origin, Kind kind, String signal, String... metrics) {
        this.origin = origin;
        this.kind = kind;
        this.signal = signal;
        this.metrics = List.of(metrics);
    }

    /** Its name among the signals of rules; empty where it is none. */
    String signal() {
        return signal;
    }

    /** Those that are stages of a request. */
    static List<CauseReading> stages() {
        List<CauseReading> stages = new ArrayList<>();
        for (CauseReading reading : values()) {
            if (reading.kind == Kind.MEAN && reading != PROMPT_TOKENS) {
                stages.add(reading);
            }
        }
        return stages;
    }

    /** The stage's name in rules. */
    String stage() {
        return metrics.get(0);
    }

    /**
     * What a window adds to it: numerator and denominator, of which sums have none. Null where the window tells nothing.
     */
    double @Nullable [] of(Origin windowsOrigin, WindowReading window) {
        if (windowsOrigin != origin || kind == Kind.LATER) {
            return null;
        }
        return switch (kind) {
            case SUM -> new double[] {metrics.stream().mapToLong(window::sum).sum(), 0};
            case MEAN ->
                window.distribution(metrics.get(0))
                        .filter(sketch -> sketch.n() > 0)
                        .map(sketch -> new double[] {sketch.sum(), sketch.n()})
                        .orElse(null);
            case GAUGE -> window.gauge(metrics.get(0)).map(CauseReading::gauge).orElse(null);
            case RATIO ->
                window.sum(metrics.get(1)) == 0
                        ? null
                        : new double[] {window.sum(metrics.get(0)), window.sum(metrics.get(1))};
            case LATER -> null;
        };
    }

    private static double[] gauge(MetricGauge gauge) {
        return gauge.getHeldMicros() > 0
                ? new double[] {gauge.getHeldSum(), gauge.getHeldMicros()}
                : new double[] {gauge.getSum(), gauge.getN()};
    }

    /** The value of what windows added; not a number without any. */
    double value(double numerator, double denominator) {
        return kind == Kind.SUM ? numerator : denominator == 0 ? Double.NaN : numerator / denominator;
    }
}
