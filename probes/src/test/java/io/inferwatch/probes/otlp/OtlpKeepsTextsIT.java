package io.inferwatch.probes.otlp;

import static io.inferwatch.probes.otlp.Spans.batch;
import static io.inferwatch.probes.otlp.Spans.resource;
import static io.inferwatch.probes.otlp.Spans.text;
import static io.inferwatch.probes.otlp.Spans.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.ProbeProcess;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.probes.Secret;
import io.inferwatch.servers.KafkaBroker;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans full of prompts, answers and credentials: none of their text is in anything that the probe writes, its log at its most verbose included. */
class OtlpKeepsTextsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern STARTED = Pattern.compile(
            "OTLP/HTTP on port (?<http>\\d+), OTLP/gRPC on port (?<grpc>\\d+), /metrics on port (?<admin>\\d+)");
    private static final String CONTROL = "chat-to-be-seen";

    /** Where instrumentations put texts: the conventions of today and before, OpenLLMetry, OpenInference, and HTTP's. */
    private static final List<String> ATTRIBUTES = List.of(
            "gen_ai.prompt",
            "gen_ai.completion",
            "gen_ai.prompt.0.content",
            "gen_ai.completion.0.content",
            "gen_ai.completion.0.tool_calls.0.arguments",
            "gen_ai.input.messages",
            "gen_ai.output.messages",
            "gen_ai.system_instructions",
            "gen_ai.tool.definitions",
            "gen_ai.tool.call.arguments",
            "gen_ai.tool.call.result",
            "gen_ai.request.stop_sequences",
            "gen_ai.conversation.id",
            "gen_ai.user",
            "traceloop.entity.input",
            "traceloop.entity.output",
            "llm.input_messages.0.message.content",
            "input.value",
            "output.value",
            "tenant.id",
            "session.id",
            "enduser.id",
            "url.full",
            "url.query",
            "exception.message",
            "http.request.header.authorization",
            "http.request.header.x-api-key",
            "http.request.header.cookie",
            "http.request.header.x-tenant-id",
            "http.request.header.x-turn");

    @TempDir
    private Path directory;

    @Test
    void noTextIsInAnythingThatTheProbeWrites() throws Exception {
        Path spool = directory.resolve("spool");
        Path config = Files.writeString(directory.resolve("otlp.yaml"), """
                identity: {salt-file: '%s'}
                join: {patience: 100ms}
                """.formatted(directory.resolve("salt")));
        try (KafkaBroker broker = KafkaBroker.start()) {
            RequestsTopic.create(broker);
            try (ProbeProcess probe = ProbeProcess.start(
                    directory.resolve("otlp.log"),
                    STARTED,
                    "debug",
                    List.of(
                            "otlp",
                            "--http-listen=0",
                            "--grpc-listen=0",
                            "--admin-listen=0",
                            "--spool=" + spool,
                            "--bootstrap-servers=" + broker.bootstrapServers(),
                            "--config=" + config))) {
                send(probe, 1);
                await().atMost(PATIENCE).until(() -> probe.metric("inferwatch_probe_events_acknowledged_total") == 2);
                Secret.assertNoneIn("Kafka", joined(RequestsTopic.encoded(broker)), CONTROL);
                assertThat(RequestsTopic.read(broker).events())
                        .hasSize(2)
                        .allSatisfy(event -> Secret.assertNoneIn(
                                "an event", event.toString().getBytes(StandardCharsets.UTF_8), CONTROL));

                broker.kill();
                send(probe, 3);
                await().atMost(PATIENCE).until(() -> probe.metric("inferwatch_probe_events_in_spool") == 2);
                Secret.assertNoneInFiles(spool, CONTROL);
                Secret.assertNoneIn(
                        "metrics",
                        probe.metrics().getBytes(StandardCharsets.UTF_8),
                        "inferwatch_otlp_posts_total{result=\"malformed\"} 2.0");
                probe.terminate();
                assertThat(probe.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
                Secret.assertNoneIn("the log", probe.output().getBytes(StandardCharsets.UTF_8), "debug: ");
            }
        }
    }

    /** An engine's span and a client's, both full of texts, and a post that cannot be read. */
    private static void send(ProbeProcess probe, long id) throws IOException, InterruptedException {
        Span.Builder engine = Spans.vllm(id);
        Span.Builder client = Spans.span(Secret.of("name"), SpanKind.SPAN_KIND_CLIENT, id + 1)
                .setParentSpanId(Spans.hex(Spans.CALLER.replace('b', 'c')))
                .addAttributes(text("gen_ai.operation.name", "chat"))
                .addAttributes(text("gen_ai.request.model", "m"));
        for (Span.Builder span : List.of(engine, client)) {
            ATTRIBUTES.forEach(key -> span.addAttributes(text(key, Secret.of(place(key)))));
            span.addAttributes(texts("http.request.header.x-other", Secret.of("other-header")))
                    .addEvents(Span.Event.newBuilder()
                            .setName("gen_ai.content.prompt")
                            .addAttributes(text("gen_ai.prompt", Secret.of("event"))))
                    .setStatus(Status.newBuilder().setMessage(Secret.of("status")));
        }
        KeyValue[] resource = {text("service.instance.id", CONTROL), text("process.command_args", Secret.of("command"))
        };
        ExportTraceServiceRequest spans = batch(resource(resource), engine, client);
        assertThat(post(probe, "application/x-protobuf", spans.toByteArray())).isEqualTo(200);
        byte[] unreadable = ("{\"resourceSpans\": [\"" + Secret.of("json")).getBytes(StandardCharsets.UTF_8);
        assertThat(post(probe, "application/json", unreadable)).isEqualTo(400);
    }

    private static String place(String key) {
        return key.replaceAll("[^a-z0-9]", "-");
    }

    private static int post(ProbeProcess probe, String type, byte[] body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + probe.port("http") + "/v1/traces"))
                .header("content-type", type)
                .header("authorization", "Bearer " + Secret.of("sender"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static byte[] joined(List<byte[]> parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }
}
