package io.inferwatch.simulation.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.Stages;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpanExportIT {
    private static final ServerSpec SPEC = ServerSpec.usual(1, 5)
            .withEngine(EngineSpec.llama8bOnA100().withCost(new CostModel(2e6, 0, 0, 0, 0)))
            .withStages(Stages.none());

    private final List<ExportTraceServiceRequest> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private HttpServer collector;
    private SimulationServer server;

    @BeforeEach
    void start() throws Exception {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()));
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        collector.start();
        server = SimulationServer.start(SimulationSettings.of(SPEC).withTraces(endpoint()));
    }

    @AfterEach
    void stop() {
        server.close();
        collector.stop(0);
    }

    @Test
    void aWholeAnswerIsASpanUnderItsCallersTrace() throws Exception {
        ask("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        await().until(() -> !received.isEmpty());

        ExportTraceServiceRequest request = received.get(0);
        assertThat(request.getResourceSpans(0).getResource().getAttributesList())
                .anySatisfy(attribute -> {
                    assertThat(attribute.getKey()).isEqualTo("service.instance.id");
                    assertThat(attribute.getValue().getStringValue()).isEqualTo("replica-1");
                });
        Span span = request.getResourceSpans(0).getScopeSpans(0).getSpans(0);
        assertThat(span.getName()).isEqualTo("llm_request");
        assertThat(HexFormat.of().formatHex(span.getTraceId().toByteArray()))
                .isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(HexFormat.of().formatHex(span.getParentSpanId().toByteArray()))
                .isEqualTo("b7ad6b7169203331");
        Map<String, KeyValue> attributes =
                span.getAttributesList().stream().collect(Collectors.toMap(KeyValue::getKey, value -> value));
        // Five steps of two milliseconds, of which the first is prefill.
        assertThat(seconds(attributes, "gen_ai.latency.time_to_first_token")).isCloseTo(0.002, within(1e-9));
        assertThat(seconds(attributes, "gen_ai.latency.time_in_model_prefill")).isCloseTo(0.002, within(1e-9));
        assertThat(seconds(attributes, "gen_ai.latency.time_in_model_decode")).isCloseTo(0.008, within(1e-9));
        assertThat(seconds(attributes, "gen_ai.latency.e2e")).isCloseTo(0.010, within(1e-9));
        assertThat(span.getEndTimeUnixNano() - span.getStartTimeUnixNano()).isEqualTo(10_000_000);
        assertThat(attributes.get("gen_ai.usage.completion_tokens").getValue().getIntValue())
                .isEqualTo(5);
        assertThat(attributes.get("gen_ai.request.max_tokens").getValue().getIntValue())
                .isEqualTo(5);
    }

    @Test
    void theCollectorMayBeNamedLaterAndOnlyOnce() throws Exception {
        server.close();
        server = SimulationServer.start(SimulationSettings.of(SPEC));
        server.sendSpansTo(endpoint());
        ask("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        await().until(() -> received.size() == 1);
        assertThatThrownBy(() -> server.sendSpansTo(endpoint())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatTheCollectorDoesNotTakeIsDroppedAndCounted() throws Exception {
        status.set(503);
        ask("none");
        await().until(() -> metrics()
                .contains("inferwatch_simulation_spans_dropped_total{engine=\"0\",model_name=\"" + SPEC.model()
                        + "\"} 1.0"));

        assertThat(received).hasSize(1);
        assertThat(metrics())
                .contains(
                        "inferwatch_simulation_spans_sent_total{engine=\"0\",model_name=\"" + SPEC.model() + "\"} 0.0");
    }

    private URI endpoint() {
        return URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces");
    }

    private static double seconds(Map<String, KeyValue> attributes, String key) {
        return attributes.get(key).getValue().getDoubleValue();
    }

    private void ask(String traceparent) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                .header("traceparent", traceparent)
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"prompt\": \"x\", \"max_tokens\": 5, \"ignore_eos\": true}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
    }

    private String metrics() throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
