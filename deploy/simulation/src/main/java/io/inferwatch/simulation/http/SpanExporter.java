package io.inferwatch.simulation.http;

import com.google.protobuf.ByteString;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.Journey;
import io.inferwatch.simulation.serving.ServerSpec;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a span {@code llm_request} for each request that was answered whole, with the names and units of vLLM's, as OTLP over HTTP in
 * protobuf, every half second. Up to 4,096 spans wait; what does not fit or is not taken is dropped and counted, never tried again. Never
 * holds up a request.
 */
final class SpanExporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExporter.class);
    private static final int MOST_WAITING = 4_096;
    private static final int BATCH = 512;
    private static final long PAUSE_MILLIS = 500;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final URI endpoint;
    private final ServerSpec spec;
    private final BlockingQueue<Span> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final SplittableRandom ids;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread exporter = new Thread(task, "inferwatch-simulation-spans");
        exporter.setDaemon(true);
        return exporter;
    });

    /**
     * An exporter.
     *
     * @param endpoint takes {@code ExportTraceServiceRequest}s; usually ends in {@code /v1/traces}
     */
    SpanExporter(URI endpoint, ServerSpec spec) {
        this.endpoint = endpoint;
        this.spec = spec;
        this.ids = new SplittableRandom(spec.seed() + 1);
        var unused = thread.scheduleWithFixedDelay(this::send, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    void add(ServedRequest served) {
        if (served.choices().isEmpty() || !served.choices().stream().allMatch(Journey::isComplete)) {
            return;
        }
        if (!waiting.offer(span(served))) {
            dropped.incrementAndGet();
        }
    }

    long sent() {
        return sent.get();
    }

    long dropped() {
        return dropped.get();
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("spans: the collector did not answer in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        send();
    }

    private void send() {
        List<Span> batch = new ArrayList<>();
        while (waiting.drainTo(batch, BATCH) > 0) {
            if (post(request(batch))) {
                sent.addAndGet(batch.size());
            } else {
                dropped.addAndGet(batch.size());
            }
            batch.clear();
        }
    }

    private boolean post(ExportTraceServiceRequest spans) {
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .timeout(TIMEOUT)
                .header("content-type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(spans.toByteArray()))
                .build();
        try {
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status != 200) {
                LOG.warn("spans: {} answered {}", endpoint, status);
            }
            return status == 200;
        } catch (IOException e) {
            LOG.warn("spans: {} cannot be reached: {}", endpoint, e.toString());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private ExportTraceServiceRequest request(List<Span> spans) {
        Resource resource = Resource.newBuilder()
                .addAttributes(text("service.name", "inferwatch-simulation"))
                .addAttributes(text("service.version", spec.version()))
                .addAttributes(text("service.instance.id", spec.replica()))
                .addAttributes(text("host.name", spec.node()))
                .build();
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder()
                        .setResource(resource)
                        .addScopeSpans(ScopeSpans.newBuilder().addAllSpans(spans)))
                .build();
    }

    /** Begins, as vLLM's, when the server's frontend begins to tokenise. */
    private Span span(ServedRequest served) {
        Journey journey = served.choices().get(0);
        long last = served.choices().stream()
                .mapToLong(choice -> choice.lastTokenNanos().orElseThrow())
                .max()
                .orElseThrow();
        long before = journey.gatewayNanos()
                + journey.authenticationNanos()
                + journey.guardrail().map(Guardrail.Check::waitedNanos).orElse(0L);
        long begin = journey.arrivedNanos() + before;
        long beginEpochNanos = served.headers().atMicros() * 1_000 + before;
        long first = journey.firstTokenNanos().orElseThrow();
        long scheduled = journey.scheduledNanos().orElseThrow();
        int tokens = served.choices().stream()
                .mapToInt(choice -> choice.tokenNanos().size())
                .sum();
        Span.Builder span = Span.newBuilder()
                .setName("llm_request")
                .setKind(Span.SpanKind.SPAN_KIND_SERVER)
                .setStartTimeUnixNano(beginEpochNanos)
                .setEndTimeUnixNano(beginEpochNanos + last - begin)
                .addAttributes(text("gen_ai.request.id", journey.id()))
                .addAttributes(text("gen_ai.response.model", spec.model()))
                .addAttributes(whole("gen_ai.request.n", served.request().choices()))
                .addAttributes(whole("gen_ai.usage.prompt_tokens", journey.promptTokens()))
                .addAttributes(whole("gen_ai.usage.completion_tokens", tokens))
                .addAttributes(seconds(
                        "gen_ai.latency.time_in_queue", journey.queueNanos().orElseThrow()))
                .addAttributes(seconds("gen_ai.latency.time_to_first_token", first - begin))
                .addAttributes(seconds(
                        "gen_ai.latency.time_in_model_prefill",
                        journey.prefillNanos().orElseThrow()))
                .addAttributes(seconds("gen_ai.latency.time_in_model_decode", last - first))
                .addAttributes(seconds("gen_ai.latency.time_in_model_inference", last - scheduled))
                .addAttributes(seconds("gen_ai.latency.e2e", last - begin));
        served.request().maxTokens().ifPresent(limit -> span.addAttributes(whole("gen_ai.request.max_tokens", limit)));
        identify(span, served.headers());
        return span.build();
    }

    private void identify(Span.Builder span, RequestHeaders headers) {
        synchronized (ids) {
            span.setSpanId(ByteString.copyFrom(bytes(8)));
            // version-traceid-parentid-flags
            String parent = headers.traceparent().orElse("");
            if (parent.matches("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")) {
                HexFormat hex = HexFormat.of();
                span.setTraceId(ByteString.copyFrom(hex.parseHex(parent.substring(3, 35))));
                span.setParentSpanId(ByteString.copyFrom(hex.parseHex(parent.substring(36, 52))));
            } else {
                span.setTraceId(ByteString.copyFrom(bytes(16)));
            }
        }
    }

    private byte[] bytes(int length) {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            buffer.putLong(ids.nextLong());
        }
        return buffer.array();
    }

    private static KeyValue text(String key, String value) {
        return attribute(key, AnyValue.newBuilder().setStringValue(value));
    }

    private static KeyValue whole(String key, long value) {
        return attribute(key, AnyValue.newBuilder().setIntValue(value));
    }

    private static KeyValue seconds(String key, long nanos) {
        return attribute(key, AnyValue.newBuilder().setDoubleValue(nanos / 1e9));
    }

    private static KeyValue attribute(String key, AnyValue.Builder value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }
}
