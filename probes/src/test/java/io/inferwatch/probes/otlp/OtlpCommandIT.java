package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.servers.KafkaBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process of its own: spans in, events in a real broker, and an end by SIGTERM. */
class OtlpCommandIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern PORTS =
            Pattern.compile("OTLP/HTTP on port (\\d+), OTLP/gRPC on port (\\d+), /metrics on port (\\d+)");

    private static final Pattern HEARTBEAT_SENT = Pattern.compile("inferwatch_probe_heartbeats_sent_total [1-9]");

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void spansBecomeEventsAndNothingThatWaitsIsLostBySigterm() throws Exception {
        Path config = Files.writeString(directory.resolve("otlp.yaml"), """
                identity: {salt-file: %s}
                replicas: {chat-0: {match: {service.instance.id: "vllm-*"}, pool: h100}}
                """.formatted(directory.resolve("salt")));
        try (KafkaBroker broker = KafkaBroker.start()) {
            RequestsTopic.create(broker);
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            OtlpProcess.class.getName(),
                            "--bootstrap-servers",
                            broker.bootstrapServers(),
                            "--config",
                            config.toString(),
                            "--http-listen",
                            "0",
                            "--grpc-listen",
                            "0",
                            "--admin-listen",
                            "0")
                    .redirectErrorStream(true)
                    .start();
            try (BufferedReader out = process.inputReader()) {
                Matcher ports = ports(out);
                int admin = Integer.parseInt(ports.group(3));
                assertThat(get(admin, "/readyz")).isEqualTo("ready\n");
                // The other side is awaited for 10 s: the first event leaves the process by then, or when it stops.
                assertThat(Exporters.sendVllm(
                                Exporters.grpc(Integer.parseInt(ports.group(2)), "gzip"),
                                "vllm-1",
                                Spans.TRACE,
                                Spans.CALLER))
                        .isTrue();
                await().atMost(PATIENCE)
                        .until(() ->
                                HEARTBEAT_SENT.matcher(get(admin, "/metrics")).find());
                assertThat(Exporters.sendVllm(
                                Exporters.http(Integer.parseInt(ports.group(1)), "none"),
                                "vllm-1",
                                Spans.TRACE.replace('0', '1'),
                                Spans.CALLER))
                        .isTrue();
                assertThat(get(admin, "/metrics"))
                        .contains("inferwatch_otlp_spans_total{fate=\"request\"} 2.0")
                        .contains("inferwatch_probe_headers_malformed_total{field=\"tenant\"} 0.0")
                        .contains("inferwatch_probe_events_published_total");
                process.destroy();
                assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            } finally {
                process.destroyForcibly();
            }
            RequestsTopic topic = RequestsTopic.read(broker);
            assertThat(topic.events())
                    .extracting(RequestEvent::getTraceId)
                    .containsExactlyInAnyOrder(Spans.TRACE, Spans.TRACE.replace('0', '1'));
            assertThat(topic.heartbeats()).extracting(Heartbeat::getReplica).contains("chat-0");
            assertThat(topic.events()).allSatisfy(event -> {
                assertThat(event.getReplica()).isEqualTo("chat-0");
                assertThat(event.getPool()).isEqualTo("h100");
                assertThat(event.getTtftMicros()).isEqualTo(250_000);
                assertThat(event.getStream()).startsWith("otlp-").endsWith("/chat-0");
            });
        }
    }

    private String get(int port, String path) throws IOException, InterruptedException {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private static Matcher ports(BufferedReader out) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher ports = PORTS.matcher(line);
            if (ports.matches()) {
                return ports;
            }
            seen.append(line).append('\n');
        }
        throw new AssertionError("the process said nothing of its ports:\n" + seen);
    }
}
