package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.ProbeProcess;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.servers.KafkaBroker;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process of its own: spans in, events in a real broker, and an end by SIGTERM. */
class OtlpCommandIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern STARTED = Pattern.compile(
            "OTLP/HTTP on port (?<http>\\d+), OTLP/gRPC on port (?<grpc>\\d+), /metrics on port (?<admin>\\d+)");

    @TempDir
    private Path directory;

    @Test
    void spansBecomeEventsAndNothingThatWaitsIsLostBySigterm() throws Exception {
        Path config = Files.writeString(directory.resolve("otlp.yaml"), """
                identity: {salt-file: %s}
                replicas: {chat-0: {match: {service.instance.id: "vllm-*"}, pool: h100}}
                """.formatted(directory.resolve("salt")));
        try (KafkaBroker broker = KafkaBroker.start()) {
            RequestsTopic.create(broker);
            try (ProbeProcess process = ProbeProcess.start(
                    directory.resolve("otlp.log"),
                    STARTED,
                    "warn",
                    List.of(
                            "otlp",
                            "--bootstrap-servers",
                            broker.bootstrapServers(),
                            "--config",
                            config.toString(),
                            "--http-listen",
                            "0",
                            "--grpc-listen",
                            "0",
                            "--admin-listen",
                            "0"))) {
                assertThat(process.status("/readyz")).isEqualTo(200);
                // The other side is awaited for 10 s: the first event leaves the process by then, or when it stops.
                assertThat(Exporters.sendVllm(
                                Exporters.grpc(process.port("grpc"), "gzip"), "vllm-1", Spans.TRACE, Spans.CALLER))
                        .isTrue();
                await().atMost(PATIENCE).until(() -> process.metric("inferwatch_probe_heartbeats_sent_total") > 0);
                assertThat(Exporters.sendVllm(
                                Exporters.http(process.port("http"), "none"),
                                "vllm-1",
                                Spans.TRACE.replace('0', '1'),
                                Spans.CALLER))
                        .isTrue();
                assertThat(post(
                                process.port("http"),
                                Spans.batch(
                                        Spans.resource(Spans.text("service.instance.id", "vllm-1")),
                                        Spans.vllm(1)
                                                .setTraceId(Spans.hex(Spans.TRACE.replace('0', '2')))
                                                .addAttributes(Spans.text("http.request.header.x-turn", "first")))))
                        .isEqualTo(200);
                assertThat(process.metrics())
                        .contains("inferwatch_otlp_spans_total{fate=\"request\"} 3.0")
                        .contains("inferwatch_probe_headers_malformed_total{field=\"tenant\"} 0.0")
                        .contains("inferwatch_probe_headers_malformed_total{field=\"turn\"} 1.0")
                        .contains("inferwatch_probe_events_published_total");
                process.terminate();
                assertThat(process.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
            }
            RequestsTopic topic = RequestsTopic.read(broker);
            assertThat(topic.events())
                    .extracting(RequestEvent::getTraceId)
                    .containsExactlyInAnyOrder(
                            Spans.TRACE, Spans.TRACE.replace('0', '1'), Spans.TRACE.replace('0', '2'));
            assertThat(topic.heartbeats()).extracting(Heartbeat::getReplica).contains("chat-0");
            assertThat(topic.events()).allSatisfy(event -> {
                assertThat(event.getReplica()).isEqualTo("chat-0");
                assertThat(event.getPool()).isEqualTo("h100");
                assertThat(event.getTtftMicros()).isEqualTo(250_000);
                assertThat(event.getStream()).startsWith("otlp-").endsWith("/chat-0");
            });
        }
    }

    private static int post(int port, ExportTraceServiceRequest spans) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/traces"))
                .header("content-type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(spans.toByteArray()))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
