package io.inferwatch.probes.otlp;

import com.google.protobuf.Message;
import io.inferwatch.probes.admin.BearerToken;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What OTLP's two transports have in common. Spans and metrics are taken; logs are answered as accepted with every item refused, so that an
 * exporter of all three goes on and says so in its log. Thread safe.
 */
final class OtlpService {
    private final SpanReceiver spans;
    private final MetricReceiver metricPoints;
    private final Optional<BearerToken> token;
    private final Tally<PostResult> results = new Tally<>(PostResult.class);
    private final Tally<Signal> notTaken = new Tally<>(Signal.class);

    OtlpService(SpanReceiver spans, MetricReceiver metricPoints, Optional<BearerToken> token) {
        this.spans = spans;
        this.metricPoints = metricPoints;
        this.token = token;
    }

    /** Lets only senders in that know the token, where there is one. */
    void admit(@Nullable String authorization) throws PostRefusedException {
        if (token.isPresent() && !token.get().isIn(authorization)) {
            throw new PostRefusedException(PostResult.UNAUTHORIZED, "authorization: must be the probe's token");
        }
    }

    /** Takes a post and says what of it was not taken. */
    Refused take(Message post) {
        if (post instanceof ExportTraceServiceRequest traces) {
            return spans.receive(traces);
        }
        if (post instanceof ExportMetricsServiceRequest metrics) {
            return metricPoints.receive(metrics);
        }
        if (post instanceof ExportLogsServiceRequest logs) {
            return refuse(Signal.LOGS, records(logs), "logs are not taken yet");
        }
        throw new IllegalArgumentException("post: must be of traces, metrics or logs, found "
                + post.getDescriptorForType().getFullName());
    }

    void count(PostResult result) {
        results.add(result);
    }

    /** Posts by their result. */
    Map<PostResult, Long> results() {
        return results.counts();
    }

    /** Items of signals that are not taken. */
    Map<Signal, Long> notTaken() {
        return notTaken.counts();
    }

    private Refused refuse(Signal signal, long items, String reason) {
        notTaken.add(signal, items);
        return items == 0 ? Refused.NOTHING : new Refused(items, reason);
    }

    private static long records(ExportLogsServiceRequest logs) {
        return logs.getResourceLogsList().stream()
                .flatMap(ofResource -> ofResource.getScopeLogsList().stream())
                .mapToLong(ScopeLogs::getLogRecordsCount)
                .sum();
    }
}
