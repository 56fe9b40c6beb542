package io.inferwatch.probes.otlp;

import static io.inferwatch.probes.otlp.Spans.batch;
import static io.inferwatch.probes.otlp.Spans.resource;
import static io.inferwatch.probes.otlp.Spans.text;
import static io.inferwatch.probes.otlp.Spans.vllm;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.engine.PushedMetrics;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.SimpleLogRecordProcessor;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The probe over real sockets, asked by the official exporters and by hand. */
class OtlpServerIT {
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String JSON = "application/json";
    private static final ExportTraceServiceRequest ONE_SPAN =
            batch(resource(text("service.instance.id", "vllm-0")), vllm(1));

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private PrometheusRegistry registry;
    private OtlpProbe probe;

    @BeforeEach
    void start() {
        probe = start(Optional.empty());
    }

    @AfterEach
    void stop() {
        probe.close();
    }

    @ParameterizedTest
    @CsvSource({"http, none", "http, gzip", "grpc, none", "grpc, gzip"})
    void takesWhatTheOfficialExportersSend(String protocol, String compression) {
        SpanExporter exporter = protocol.equals("http")
                ? Exporters.http(probe.httpPort(), compression)
                : Exporters.grpc(probe.grpcPort(), compression);
        assertThat(Exporters.sendVllm(exporter, "vllm-3", Spans.TRACE, Spans.CALLER))
                .isTrue();

        RequestEvent event = theEvent();
        assertThat(event.getReplica()).isEqualTo("vllm-3");
        assertThat(event.getTraceId()).isEqualTo(Spans.TRACE);
        assertThat(event.getParentSpanId()).isEqualTo(Spans.CALLER);
        assertThat(event.getTtftMicros()).isEqualTo(250_000);
        assertThat(event.getQueueMicros()).isEqualTo(50_000);
        assertThat(event.getCompletedAtMicros()).isEqualTo(Spans.START_NANOS / 1_000 + 1_000_000);
        assertThat(publisher.states()).extracting(ReplicaState::replica).containsExactly("vllm-3");
        assertThat(metric("posts", "taken")).isEqualTo(1);
        assertThat(metric("spans", "request")).isEqualTo(1);
    }

    @Test
    void whatTheProxyMeasuredIsJoined() {
        RequestEvent measured = new SpanReader(Spans.identity(directory), new Tally<>(Oddity.class))
                .read(
                        vllm(9).clearAttributes().build(),
                        new Attributes(List.of()),
                        new SpanReplicas(List.of(), new Tally<>(Oddity.class)).of(resource()));
        probe.join().offer(RequestJoin.Side.MEASURED, measured);
        assertThat(Exporters.sendVllm(Exporters.grpc(probe.grpcPort(), "none"), "vllm-0", Spans.TRACE, Spans.CALLER))
                .isTrue();
        assertThat(publisher.events()).containsExactly(measured);
        assertThat(measured.getQueueMicros()).isEqualTo(50_000);
        assertThat(metric("joins", "joined")).isEqualTo(1);
    }

    @Test
    void enginesMetricsBecomeSamples() {
        OtlpGrpcMetricExporter metrics = OtlpGrpcMetricExporter.builder()
                .setEndpoint("http://127.0.0.1:" + probe.grpcPort())
                .build();
        try (SdkMeterProvider meters = SdkMeterProvider.builder()
                .setResource(io.opentelemetry.sdk.resources.Resource.create(io.opentelemetry.api.common.Attributes.of(
                        AttributeKey.stringKey("service.instance.id"), "chat-0")))
                .registerMetricReader(PeriodicMetricReader.create(metrics))
                .build()) {
            var firstToken = meters.get("test")
                    .histogramBuilder("gen_ai.server.time_to_first_token")
                    .setExplicitBucketBoundariesAdvice(List.of(0.1, 0.5))
                    .setUnit("s")
                    .build();
            meters.get("test").counterBuilder("something.else").build().add(1);
            firstToken.record(0.05);
            assertThat(meters.forceFlush().join(20, TimeUnit.SECONDS).isSuccess())
                    .isTrue();
            firstToken.record(0.25);
            firstToken.record(0.75);
            assertThat(meters.forceFlush().join(20, TimeUnit.SECONDS).isSuccess())
                    .isTrue();
        }
        List<EngineSample> samples = publisher.all(EngineSample.class);
        assertThat(samples).hasSizeGreaterThanOrEqualTo(2);
        EngineSample second = samples.get(1);
        assertThat(second.getReplica()).isEqualTo("chat-0");
        assertThat(second.getHistograms()).hasSize(1);
        assertThat(second.getHistograms().get(0).getSignal()).isEqualTo("ttft");
        assertThat(second.getHistograms().get(0).getBoundsMicros()).containsExactly(100_000L, 500_000L);
        // The first observation was before the first push: whether it counts hangs on the start time that the SDK gives
        // to the second.
        assertThat(second.getHistograms().get(0).getTotals().subList(1, 3)).containsExactly(1L, 1L);
        assertThat(metric("metric_points", "taken")).isGreaterThanOrEqualTo(2);
        assertThat(metric("metric_points", "unknown")).isGreaterThanOrEqualTo(2);
    }

    @Test
    void logsAreAcceptedAndRefusedItemByItem() {
        OtlpHttpLogRecordExporter logs = OtlpHttpLogRecordExporter.builder()
                .setEndpoint("http://127.0.0.1:" + probe.httpPort() + "/v1/logs")
                .build();
        try (SdkLoggerProvider loggers = SdkLoggerProvider.builder()
                .addLogRecordProcessor(SimpleLogRecordProcessor.create(logs))
                .build()) {
            loggers.get("test").logRecordBuilder().setBody("hello").emit();
            assertThat(loggers.forceFlush().join(20, TimeUnit.SECONDS).isSuccess())
                    .isTrue();
        }
        assertThat(metric("items_not_taken", "logs")).isEqualTo(1);
        assertThat(metric("posts", "malformed")).isZero();
    }

    /** OTL-15: the number is a text in JSON, and an empty partial success stays away. */
    @Test
    void theAnswerTellsWhatWasRefused() throws Exception {
        String bad = "{\"name\":\"llm_request\",\"traceId\":\"4bf92f35\",\"spanId\":\"00f067aa0ba902b7\"}";
        String post = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" + bad + "," + bad + "," + bad + "]}]}]}";
        HttpResponse<byte[]> json = post("/v1/traces", JSON, post.getBytes(UTF_8));
        assertThat(json.statusCode()).isEqualTo(200);
        assertThat(json.headers().firstValue("content-type")).hasValue(JSON);
        assertThat(new String(json.body(), UTF_8))
                .isEqualTo("{\"partialSuccess\":{\"rejectedSpans\":\"3\","
                        + "\"errorMessage\":\"3 without a valid trace and span id\"}}");

        HttpResponse<byte[]> protobuf = post(
                "/v1/traces",
                PROTOBUF,
                batch(resource(), vllm(1).setSpanId(ByteString.EMPTY), vllm(2)).toByteArray());
        assertThat(ExportTraceServiceResponse.parseFrom(protobuf.body())
                        .getPartialSuccess()
                        .getRejectedSpans())
                .isEqualTo(1);
        assertThat(new String(
                        post("/v1/traces", JSON, "{\"resourceSpans\":[]}".getBytes(UTF_8))
                                .body(),
                        UTF_8))
                .isEqualTo("{}");
        assertThat(post("/v1/traces", PROTOBUF, ONE_SPAN.toByteArray()).body()).isEmpty();
    }

    @Test
    void postsThatCannotBeTakenAreAnsweredAndCounted() throws Exception {
        byte[] span = ONE_SPAN.toByteArray();
        assertThat(post("/v1/traces", PROTOBUF, "no protobuf".getBytes(UTF_8)).statusCode())
                .isEqualTo(400);
        HttpResponse<byte[]> noJson = post("/v1/traces", JSON, "{".getBytes(UTF_8));
        assertThat(noJson.statusCode()).isEqualTo(400);
        assertThat(new String(noJson.body(), UTF_8))
                .isEqualTo("{\"code\":3,\"message\":\"no JSON: line 1, column 2\"}");
        assertThat(post("/v1/spans", PROTOBUF, span).statusCode()).isEqualTo(404);
        assertThat(post("/v1/traces", "text/plain", span).statusCode()).isEqualTo(415);
        assertThat(post("/v1/traces", PROTOBUF, span, "content-encoding", "lzma")
                        .statusCode())
                .isEqualTo(415);
        assertThat(post("/v1/traces", PROTOBUF, span, "content-encoding", "gzip")
                        .statusCode())
                .as("no gzip")
                .isEqualTo(400);
        HttpResponse<byte[]> get =
                client.send(HttpRequest.newBuilder(uri("/v1/traces")).GET().build(), BodyHandlers.ofByteArray());
        assertThat(get.statusCode()).isEqualTo(405);
        assertThat(get.headers().firstValue("allow")).hasValue("POST");

        assertThat(publisher.events()).isEmpty();
        assertThat(metric("posts", "malformed")).isEqualTo(3);
        assertThat(metric("posts", "unsupported")).isEqualTo(2);
        assertThat(metric("posts", "unknown_path")).isEqualTo(1);
        assertThat(metric("posts", "not_a_post")).isEqualTo(1);
        assertThat(post("/v1/traces", PROTOBUF, span).statusCode())
                .as("still there")
                .isEqualTo(200);
    }

    @Test
    void aPostOfManyZerosIsNotInflatedBeyondTheLimit() throws Exception {
        byte[] bomb = gzip(new byte[OtlpServer.MAX_POST_BYTES + 1]);
        assertThat(bomb).hasSizeLessThan(100_000);
        assertThat(post("/v1/traces", PROTOBUF, bomb, "content-encoding", "gzip")
                        .statusCode())
                .isEqualTo(413);
        await().untilAsserted(() -> assertThat(metric("posts", "too_large")).isEqualTo(1));
        assertThat(post("/v1/traces", PROTOBUF, gzip(ONE_SPAN.toByteArray()), "content-encoding", "gzip")
                        .statusCode())
                .isEqualTo(200);
        theEvent();
    }

    @Test
    void onlySendersThatKnowTheTokenAreLetIn() throws Exception {
        probe.close();
        probe = start(Optional.of(Files.writeString(directory.resolve("token"), "s3cret\n")));
        byte[] span = ONE_SPAN.toByteArray();
        assertThat(post("/v1/traces", PROTOBUF, span).statusCode()).isEqualTo(401);
        assertThat(post("/v1/traces", PROTOBUF, span, "authorization", "Bearer s3cre")
                        .statusCode())
                .isEqualTo(401);
        assertThat(Exporters.sendVllm(Exporters.grpc(probe.grpcPort(), "none"), "vllm-0", Spans.TRACE, Spans.CALLER))
                .isFalse();
        assertThat(publisher.events()).isEmpty();
        assertThat(metric("posts", "unauthorized")).isEqualTo(3);
        assertThat(post("/v1/traces", PROTOBUF, span, "authorization", "Bearer s3cret")
                        .statusCode())
                .isEqualTo(200);
        theEvent();
    }

    @Test
    void connectionsBeyondTheLimitAreClosedAndCounted() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i <= OtlpServer.MAX_CONNECTIONS; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), probe.httpPort()));
            }
            await().untilAsserted(() ->
                    assertThat(metric("posts", "too_many_connections")).isEqualTo(1));
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().until(() -> post("/v1/traces", PROTOBUF, ONE_SPAN.toByteArray()).statusCode() == 200);
    }

    @Test
    void whatIsNoHttpAtAllClosesItsConnectionOnly() throws Exception {
        for (int port : new int[] {probe.httpPort(), probe.grpcPort()}) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                OutputStream out = socket.getOutputStream();
                out.write(new byte[] {0x16, 0x03, 0x01, 0, 0, 13, 10, 13, 10});
                out.flush();
                socket.setSoTimeout(20_000);
                var unused = socket.getInputStream().readAllBytes();
            }
        }
        assertThat(Exporters.sendVllm(Exporters.grpc(probe.grpcPort(), "none"), "vllm-0", Spans.TRACE, Spans.CALLER))
                .isTrue();
    }

    @Test
    void portsInUseAreReportedTogether() throws IOException {
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> OtlpServer.start(
                            ListenAddress.parse(Integer.toString(one.getLocalPort())),
                            ListenAddress.parse(Integer.toString(other.getLocalPort())),
                            Optional.empty(),
                            new OtlpService(receiver(), metricReceiver(), Optional.empty())))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("http-listen: must be an address that is free on this host, found 127.0.0.1:"
                            + one.getLocalPort())
                    .hasMessageContaining("grpc-listen: must be an address that is free on this host, found 127.0.0.1:"
                            + other.getLocalPort());
        }
    }

    private MetricReceiver metricReceiver() {
        return new MetricReceiver(
                new SpanReplicas(List.of(), new Tally<>(Oddity.class))::of,
                new PushedMetrics(MappingTable.builtIn(), publisher, sample -> {}),
                InstantSource.system());
    }

    private SpanReceiver receiver() {
        Tally<Oddity> oddities = new Tally<>(Oddity.class);
        return new SpanReceiver(
                new SpanReplicas(List.of(), oddities)::of,
                new SpanReader(Spans.identity(directory), oddities),
                Sampling.of(Settings.parse("sampling", "")),
                new SpanLoss(),
                new ReplicaActivity(System::nanoTime),
                new RequestJoin(publisher::publish, Duration.ofSeconds(1), 1, System::nanoTime));
    }

    private OtlpProbe start(Optional<Path> tokenFile) {
        registry = new PrometheusRegistry();
        return OtlpProbe.start(
                OtlpSettings.of(
                        Settings.parse("settings", "join: {patience: 200ms}"),
                        ListenAddress.parse("0"),
                        ListenAddress.parse("0"),
                        tokenFile,
                        Spans.identity(directory)),
                publisher,
                registry);
    }

    private RequestEvent theEvent() {
        await().until(() -> !publisher.events().isEmpty());
        assertThat(publisher.events()).hasSize(1);
        return publisher.events().get(0);
    }

    private double metric(String name, String label) {
        return registry.scrape().stream()
                .filter(metric -> metric.getMetadata().getName().equals("inferwatch_otlp_" + name))
                .flatMap(metric -> metric.getDataPoints().stream())
                .filter(point -> hasLabel(point, label))
                .mapToDouble(point -> ((CounterSnapshot.CounterDataPointSnapshot) point).getValue())
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasLabel(DataPointSnapshot point, String value) {
        return point.getLabels().stream().anyMatch(label -> label.getValue().equals(value));
    }

    private HttpResponse<byte[]> post(String path, String type, byte[] body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri(path)).header("content-type", type).POST(BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + probe.httpPort() + path);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
            out.write(bytes);
        }
        return compressed.toByteArray();
    }
}
