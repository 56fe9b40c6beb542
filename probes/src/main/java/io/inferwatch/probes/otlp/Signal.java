package io.inferwatch.probes.otlp;

import com.google.protobuf.Message;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsPartialSuccess;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import org.jspecify.annotations.Nullable;

/** What OTLP can carry: where it is posted and how it is answered. */
enum Signal {
    TRACES("traces", "trace.v1.TraceService", "rejectedSpans"),
    METRICS("metrics", "metrics.v1.MetricsService", "rejectedDataPoints"),
    LOGS("logs", "logs.v1.LogsService", "rejectedLogRecords");

    private final String httpPath;
    private final String grpcPath;
    private final String rejectedKey;

    Signal(String name, String grpcService, String rejectedKey) {
        this.httpPath = "/v1/" + name;
        this.grpcPath = "/opentelemetry.proto.collector." + grpcService + "/Export";
        this.rejectedKey = rejectedKey;
    }

    static @Nullable Signal ofHttpPath(String path) {
        for (Signal signal : values()) {
            if (signal.httpPath.equals(path)) {
                return signal;
            }
        }
        return null;
    }

    static @Nullable Signal ofGrpcPath(String path) {
        for (Signal signal : values()) {
            if (signal.grpcPath.equals(path)) {
                return signal;
            }
        }
        return null;
    }

    /** An empty post, to be filled. */
    Message.Builder post() {
        return switch (this) {
            case TRACES -> ExportTraceServiceRequest.newBuilder();
            case METRICS -> ExportMetricsServiceRequest.newBuilder();
            case LOGS -> ExportLogsServiceRequest.newBuilder();
        };
    }

    /** The answer to a post; without partial success where everything was taken. */
    Message answer(Refused refused) {
        boolean partial = refused.items() > 0;
        return switch (this) {
            case TRACES -> {
                var answer = ExportTraceServiceResponse.newBuilder();
                yield partial
                        ? answer.setPartialSuccess(ExportTracePartialSuccess.newBuilder()
                                        .setRejectedSpans(refused.items())
                                        .setErrorMessage(refused.reason()))
                                .build()
                        : answer.build();
            }
            case METRICS -> {
                var answer = ExportMetricsServiceResponse.newBuilder();
                yield partial
                        ? answer.setPartialSuccess(ExportMetricsPartialSuccess.newBuilder()
                                        .setRejectedDataPoints(refused.items())
                                        .setErrorMessage(refused.reason()))
                                .build()
                        : answer.build();
            }
            case LOGS -> {
                var answer = ExportLogsServiceResponse.newBuilder();
                yield partial
                        ? answer.setPartialSuccess(ExportLogsPartialSuccess.newBuilder()
                                        .setRejectedLogRecords(refused.items())
                                        .setErrorMessage(refused.reason()))
                                .build()
                        : answer.build();
            }
        };
    }

    /** The same in JSON, where whole numbers of 64 bits are texts. The reason is the probe's own and needs no escaping. */
    String jsonAnswer(Refused refused) {
        return refused.items() == 0
                ? "{}"
                : "{\"partialSuccess\":{\"" + rejectedKey + "\":\"" + refused.items() + "\",\"errorMessage\":\""
                        + refused.reason() + "\"}}";
    }
}
