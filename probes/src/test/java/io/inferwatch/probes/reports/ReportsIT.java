package io.inferwatch.probes.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.BearerToken;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportsIT {
    private static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");
    private static final long NOW_MICROS = NOW.toEpochMilli() * 1_000;

    private final EventList published = new EventList();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private AdminServer server;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() {
        Settings section =
                Settings.parse("test", "{name: chat-0, node: n1, model: m, version: v1, gpu-uuids: [GPU-a, GPU-b]}");
        server = serve(Optional.of(ReplicaIdentity.of(section, Map.of())), Optional.empty());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void operatorMetricsBecomeEventsOfTheWatchedReplica() throws Exception {
        HttpResponse<String> answer = post("/v1/operator-metrics", """
                [{"name": "expert_utilization_ratio", "value": 0.125, "unit": "ratio", "granularity": "forward-pass", "layer": 3, "labels": {"expert": 17}},
                 {"name": "quantization_error_l2", "value": 1.5e-4, "layer": "down_proj", "at_micros": 1796000000000000}]
                """);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"accepted\":2}\n");
        OperatorMetric first = published.all(OperatorMetric.class).get(0);
        assertThat(first.getReplica()).isEqualTo("chat-0");
        assertThat(first.getNode()).isEqualTo("n1");
        assertThat(first.getModel()).isEqualTo("m");
        assertThat(first.getValue()).isEqualTo(0.125);
        assertThat(first.getGranularity()).isEqualTo(Granularity.FORWARD_PASS);
        assertThat(first.getLayer()).isEqualTo("3");
        assertThat(first.getLabels()).isEqualTo(Map.of("expert", "17"));
        assertThat(first.getMeasuredAtMicros()).isEqualTo(NOW_MICROS);
        OperatorMetric second = published.all(OperatorMetric.class).get(1);
        assertThat(second.getGranularity()).isEqualTo(Granularity.LAYER);
        assertThat(second.getMeasuredAtMicros()).isEqualTo(1_796_000_000_000_000L);
        assertThat(new EventCodec().encode(second)).as("complete").isNotEmpty();
    }

    @Test
    void whatIsGoodIsTakenAndWhatIsNotIsAnsweredWithItsPlace() throws Exception {
        HttpResponse<String> answer = post("/v1/operator-metrics", """
                [{"name": "expert_utilisation_ratio", "value": 1}, {"name": "active_experts_per_token", "value": 2}]
                """);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo("{\"accepted\":1,\"refused\":[{\"index\":0,\"problem\":\"name: must be one that the metric"
                        + " catalogue has for operators, found 'expert_utilisation_ratio', did you mean"
                        + " 'expert_utilization_ratio'?\"}]}\n");
        assertThat(page())
                .contains("inferwatch_reports_taken_total{kind=\"operator-metrics\"} 1.0")
                .contains("inferwatch_reports_refused_total{kind=\"operator-metrics\"} 1.0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"name": "active_experts_per_token", "value": "2"} | value: must be a finite number, found \\"2\\"
            {"name": "active_experts_per_token"} | value: must be a finite number, found nothing
            {"value": 2} | name: must be set, found nothing
            {"name": "active_experts_per_token", "value": 2, "unit": "percent"} | unit: must be number as the metric catalogue says of active_experts_per_token, found 'percent'
            {"name": "active_experts_per_token", "value": 2, "granularity": "layer"} | granularity: must be forward-pass as the metric catalogue says of active_experts_per_token, found 'layer'
            {"name": "active_experts_per_token", "value": 2, "label": {}} | label: unknown key, did you mean 'labels'?
            {"name": "active_experts_per_token", "value": 2, "labels": 7} | labels: must be an object with at most 16 entries, found 7
            {"name": "active_experts_per_token", "value": 2, "at_micros": -1} | at_micros: must be a whole number from 0 on, found -1
            7 | report: must be a JSON object, found NUMBER
            """)
    void eachRuleIsNamed(String report, String problem) throws Exception {
        HttpResponse<String> answer = post("/v1/operator-metrics", report);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"problem\":\"" + problem + "\"");
        assertThat(published.all(OperatorMetric.class)).isEmpty();
    }

    @Test
    void aBodyThatIsNoJsonIsRefused() throws Exception {
        HttpResponse<String> answer = post("/v1/operator-metrics", "{\"name\": ");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("body: must be JSON, found");
    }

    @Test
    void aBodyBeyondTheLimitIsRefused() throws Exception {
        HttpResponse<String> answer = post("/v1/operator-metrics", " ".repeat((4 << 20) + 1));
        assertThat(answer.statusCode()).isEqualTo(413);
    }

    @Test
    void theAllocatorsStatisticsBecomeASampleOfTheGpu() throws Exception {
        String stats = """
                {"allocated_bytes.all.current": 1000, "reserved_bytes.all.current": 4000, "inactive_split_bytes.all.current": 300,
                 "allocated_bytes.all.peak": 3500, "requested_bytes.all.current": 990, "segment.all.current": 4, "active.all.current": 12,
                 "inactive_split.all.current": 2, "num_alloc_retries": %d, "num_ooms": 1, "allocation.small_pool.freed": 77}
                """;
        assertThat(post("/v1/torch-memory?device=1", stats.formatted(5)).statusCode())
                .isEqualTo(200);
        assertThat(post("/v1/torch-memory?device=1", stats.formatted(8)).statusCode())
                .isEqualTo(200);
        assertThat(post("/v1/torch-memory?device=1", stats.formatted(2)).statusCode())
                .isEqualTo(200);

        GpuSample sample = published.all(GpuSample.class).get(0);
        assertThat(sample.getGpu()).isEqualTo("GPU-b");
        assertThat(sample.getReplica()).isEqualTo("chat-0");
        assertThat(sample.getOrigin()).isEqualTo("torch");
        assertThat(sample.getAllocatedBytes()).isEqualTo(1000);
        assertThat(sample.getAllocatorReservedBytes()).isEqualTo(4000);
        assertThat(sample.getInactiveSplitBytes()).isEqualTo(300);
        assertThat(sample.getPeakAllocatedBytes()).isEqualTo(3500);
        assertThat(sample.getRequestedBytes()).isEqualTo(990);
        assertThat(sample.getSegments()).isEqualTo(4);
        assertThat(sample.getActiveBlocks()).isEqualTo(12);
        assertThat(sample.getInactiveSplitBlocks()).isEqualTo(2);
        assertThat(sample.getUsedBytes()).as("not of the allocator").isNull();
        // 5, 8, then a restart at 2: ours grows by 3 and by 2.
        assertThat(published.all(GpuSample.class))
                .extracting(GpuSample::getAllocationRetriesTotal)
                .containsExactly(0L, 3L, 5L);
        assertThat(new EventCodec().encode(sample)).as("complete").isNotEmpty();
    }

    @Test
    void freeBlocksOfASnapshotTellWhatRequestsCannotUse() throws Exception {
        String stats = """
                {"reserved_bytes.all.current": 4000, "allocated_bytes.all.current": 3000, "free_blocks": [512, 300, 188], "largest_request_bytes": %d}
                """;
        post("/v1/torch-memory", stats.formatted(250));
        post("/v1/torch-memory", stats.formatted(600));
        post("/v1/torch-memory", "{\"reserved_bytes.all.current\": 4000, \"largest_free_bytes\": 512}");

        List<GpuSample> samples = published.all(GpuSample.class);
        assertThat(samples).extracting(GpuSample::getLargestFreeBlockBytes).containsExactly(512L, 512L, 512L);
        assertThat(samples).extracting(GpuSample::getLargestRequestBytes).containsExactly(250L, 600L, null);
        // Two of 250 fit into 512 and one into 300: 12, 50 and 188 are left. Of 600 none fits anywhere.
        assertThat(samples).extracting(GpuSample::getUnusableFreeBytes).containsExactly(250L, 1000L, null);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "free_blocks": 7 | free_blocks: must be a list of at most 100000 sizes, found NUMBER
            "free_blocks": [512, 0] | free_blocks: must be sizes from 1 on, found 0
            "largest_request_bytes": 0 | largest_request_bytes: must be a whole number from 1 on, found 0
            """)
    void aSnapshotThatIsNoneIsRefused(String key, String problem) throws Exception {
        HttpResponse<String> answer = post("/v1/torch-memory", "{\"reserved_bytes.all.current\": 4000, " + key + "}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(problem);
    }

    @Test
    void statisticsOfAnUnknownDeviceAreRefused() throws Exception {
        HttpResponse<String> answer = post("/v1/torch-memory?device=2", "{\"reserved_bytes.all.current\": 1}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
                .isEqualTo("{\"error\":\"gpu: must be the UUID of the device, or device its index among the 2 of the"
                        + " replica, found device '2'\"}\n");
        assertThat(post("/v1/torch-memory", "{}").body()).contains("must be what torch.cuda.memory_stats() gives");
    }

    @Test
    void stepsAndCapturesOfAPostBecomeOneSample() throws Exception {
        assertThat(post("/v1/engine-steps", """
                [{"requests": 16, "tokens": 16, "duration_us": 8000, "graph": true},
                 {"requests": 23, "tokens": 2071, "duration_us": 21000, "graph": false, "capture": "failed"},
                 {"capture": "captured"}]
                """).statusCode()).isEqualTo(200);
        post("/v1/engine-steps", "{\"tokens\": 5, \"capture\": \"captured\"}");

        EngineSample first = published.all(EngineSample.class).get(0);
        assertThat(first.getStepsTotal()).isEqualTo(3);
        assertThat(first.getStepTokensTotal()).isEqualTo(2087);
        assertThat(first.getBatchTokens()).isEqualTo(2071);
        assertThat(first.getGraphStepsTotal()).isEqualTo(1);
        assertThat(first.getEagerStepsTotal()).isEqualTo(1);
        assertThat(first.getGraphCapturesTotal()).isEqualTo(2);
        assertThat(first.getGraphCaptureFailuresTotal()).isEqualTo(1);
        assertThat(sketch(first.getStepSketch()).max()).isEqualTo(21_000_000);
        assertThat(first.getStepSquares()).as("8,000^2 + 21,000^2").isEqualTo(505_000_000);
        assertThat(sketch(first.getBatchSketch()).sum()).isEqualTo(39);
        EngineSample second = published.all(EngineSample.class).get(1);
        assertThat(second.getStepsTotal()).isEqualTo(4);
        assertThat(second.getGraphCapturesTotal()).isEqualTo(3);
        assertThat(second.getGraphStepsTotal()).as("not told").isNull();
        assertThat(second.getStepSquares()).as("no step was timed").isNull();
        post("/v1/engine-steps", "{\"duration_us\": 40000000}");
        assertThat(published.all(EngineSample.class).get(2).getStepSquares())
                .as("more than samples may hold")
                .isNull();
        assertThat(new EventCodec().encode(second)).as("complete").isNotEmpty();
    }

    @Test
    void aProbeOfSeveralReplicasMustBeToldWhich() throws Exception {
        server.close();
        server = serve(Optional.empty(), Optional.empty());
        assertThat(post("/v1/engine-steps", "{\"tokens\": 5}").body())
                .contains("replica: must be named, since this probe does not watch a single one, found nothing");
        assertThat(post("/v1/engine-steps", "{\"tokens\": 5, \"replica\": \"chat-7\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(published.all(EngineSample.class))
                .extracting(EngineSample::getReplica)
                .containsExactly("chat-7");
    }

    @Test
    void thereIsRoomForSoManyReportersAndNoMore() throws Exception {
        KnownReporters reporters = new KnownReporters(Optional.empty());
        for (int i = 0; i < 4_000; i++) {
            assertThat(reporters.reporter("r" + i).replica()).isEqualTo("r" + i);
        }
        assertThat(reporters.reporter("r7").replica()).isEqualTo("r7");
        assertThatThrownBy(() -> reporters.reporter("one-more"))
                .isInstanceOf(BadReportException.class)
                .hasMessage("replica: must be one of the first 4000 names that were reported here, found 'one-more'");
    }

    @Test
    void sendersThatNeverEndDoNotKeepThePageFromBeingRead() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                open.add(socket);
                socket.getOutputStream()
                        .write("POST /v1/engine-steps HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{"
                                .getBytes(StandardCharsets.US_ASCII));
            }
            // Two hold a thread each, sixteen wait, the rest are turned away.
            await().untilAsserted(() ->
                    assertThat(open.stream().filter(ReportsIT::isClosed)).hasSize(2));
            HttpResponse<String> alive = send(HttpRequest.newBuilder(uri("/livez"))
                    .timeout(Duration.ofSeconds(10))
                    .build());
            assertThat(alive.body()).isEqualTo("alive\n");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // Reset: bytes of the body were left unread.
        }
    }

    @Test
    void withATokenOnlyThoseWhoKnowItMayReport() throws Exception {
        server.close();
        Path token = Files.writeString(folder.resolve("token"), "s3cret\n");
        server = serve(Optional.empty(), Optional.of(BearerToken.read(token)));
        assertThat(post("/v1/engine-steps", "{}").statusCode()).isEqualTo(401);
        HttpRequest request = HttpRequest.newBuilder(uri("/v1/engine-steps"))
                .header("Authorization", "Bearer s3cret")
                .POST(HttpRequest.BodyPublishers.ofString("{\"tokens\": 5, \"replica\": \"r\"}"))
                .build();
        assertThat(send(request).statusCode()).isEqualTo(200);
        assertThat(page()).as("metrics need none").contains("inferwatch_reports");
    }

    @Test
    void onlyPostIsTaken() throws Exception {
        assertThat(send(HttpRequest.newBuilder(uri("/v1/engine-steps")).build()).statusCode())
                .isEqualTo(405);
        assertThat(post("/v1/engine-steps/more", "{}").statusCode()).isEqualTo(404);
    }

    private AdminServer serve(Optional<ReplicaIdentity> watched, Optional<BearerToken> token) {
        registry.clear();
        return AdminServer.start(
                ListenAddress.parse("0"),
                registry,
                new Readiness(),
                Reports.posts(
                        published, watched, new ReportSettings(MetricCatalogue.shipped(), token), registry, () -> NOW));
    }

    private HttpResponse<String> post(String path, String body) throws Exception {
        return send(HttpRequest.newBuilder(uri(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    private String page() throws Exception {
        return send(HttpRequest.newBuilder(uri("/metrics")).build()).body();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private static HttpResponse<String> send(HttpRequest request) throws Exception {
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static QuantileSketch sketch(ByteBuffer bytes) {
        return SketchEncoding.decode(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }
}
