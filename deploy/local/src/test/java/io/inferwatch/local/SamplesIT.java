package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.engine.EngineProbe;
import io.inferwatch.probes.engine.EngineSettings;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.reports.ReportSettings;
import io.inferwatch.probes.reports.Reports;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.TestServers;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A page of each engine, written after its documentation, through probe, Kafka, Flink and InfluxDB; so do reports of serving processes and a kernel profile. A
 * page's counters are 0 when it is first read and stay as written after that, so that what they grew by in all windows together is what the page says.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamplesIT {
    private static final Path PAGES =
            Path.of("..", "..", "probes", "src", "test", "resources", "io", "inferwatch", "probes");
    private static final List<String> ENGINES = List.of(
            "vllm-new", "vllm-old", "sglang", "trtllm", "trtllm-old", "triton", "tgi", "llamacpp", "dynamo", "dcgm");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Availability<InfluxProgram> influxProgram = TestServers.influx();
    private final PrometheusRegistry registry = new PrometheusRegistry();

    @TempDir
    private static Path data;

    private @Nullable LocalStack stack;
    private @Nullable HttpServer pages;
    private @Nullable EventPublisher publisher;
    private @Nullable EngineProbe probe;
    private @Nullable AdminServer admin;
    private @Nullable InfluxClient client;

    @BeforeAll
    void startEverything() throws Exception {
        assumeTrue(influxProgram.isFound(), influxProgram.reason());
        LocalStack started = LocalStack.start(LocalStack.Options.in(data), line -> {});
        stack = started;
        client = InfluxClient.open(started.influx());
        String servers = started.broker().bootstrapServers();
        EventPublisher events = new KafkaPublisher(PublisherSettings.of("test", KafkaSettings.of(servers)));
        publisher = events;
        HttpServer server = servePages();
        pages = server;
        probe = EngineProbe.start(engines(server.getAddress().getPort()), events, registry, sample -> {});
        admin = AdminServer.start(
                ListenAddress.parse("0"),
                registry,
                new Readiness(),
                Reports.posts(events, Optional.empty(), ReportSettings.byDefault(), registry, InstantSource.system()));
        report("/v1/operator-metrics", """
                [{"name": "expert_utilization_ratio", "value": 0.125, "layer": 3, "labels": {"expert": 17}, "replica": "moe-0"},
                 {"name": "expert_utilization_ratio", "value": 0.375, "layer": 3, "labels": {"expert": 17}, "replica": "moe-0"}]
                """);
        report("/v1/torch-memory?gpu=GPU-t&replica=moe-0", """
                {"allocated_bytes.all.current": 1000, "reserved_bytes.all.current": 4000, "inactive_split_bytes.all.current": 300}
                """);
        report("/v1/engine-steps", "[{\"duration_us\": 8000, \"graph\": true, \"replica\": \"moe-0\"}]");
        report("/v1/engine-steps", "[{\"capture\": \"failed\", \"graph\": false, \"replica\": \"moe-0\"}]");
        assertThat(InferwatchCommand.commandLine()
                        .execute(
                                "import",
                                "kernels",
                                PAGES.resolve("kernels").resolve("raw.csv").toString(),
                                "--format",
                                "ncu",
                                "--replica",
                                "moe-0",
                                "--model",
                                "moe",
                                "--precision",
                                "fp16+int4",
                                "--bootstrap-servers",
                                servers))
                .isZero();
    }

    @AfterAll
    void stopEverything() throws Exception {
        HttpServer server = pages;
        if (server != null) {
            server.stop(0);
        }
        for (AutoCloseable part : new AutoCloseable[] {probe, admin, publisher, client, stack}) {
            if (part != null) {
                part.close();
            }
        }
    }

    @Test
    void everyEnginesSignalsAreRightUnderOldNamesAndNew() {
        Map<String, Map<String, Double>> expected = new TreeMap<>();
        expected.put(
                "vllm-new",
                Map.ofEntries(
                        Map.entry("running_requests_last", 12.0), Map.entry("waiting_requests_last", 4.0),
                        Map.entry("kv_usage_last", 0.75), Map.entry("kv_blocks_last", 27_541.0),
                        Map.entry("prefix_hits", 400.0), Map.entry("prefix_queried", 1_000.0),
                        Map.entry("external_hits", 60.0), Map.entry("preemptions", 4.0),
                        Map.entry("draft_tokens", 150.0), Map.entry("accepted_tokens", 90.0),
                        Map.entry("engine_steps", 300.0), Map.entry("step_tokens", 5_700.0),
                        Map.entry("engine_queue_total_seconds", 3.5), Map.entry("queue_buckets_n", 25.0)));
        expected.put(
                "vllm-old",
                Map.of(
                        "running_requests_last",
                        12.0,
                        "waiting_requests_last",
                        4.0,
                        "kv_usage_last",
                        0.75,
                        "prefix_hits",
                        400.0,
                        "prefix_queried",
                        1_000.0,
                        "preemptions",
                        4.0,
                        "engine_queue_total_seconds",
                        3.5));
        expected.put(
                "sglang",
                Map.of(
                        "running_requests_last",
                        9.0,
                        "waiting_requests_last",
                        2.0,
                        "kv_usage_last",
                        0.5,
                        "kv_evictable_tokens_last",
                        12_000.0,
                        "decode_tokens_last",
                        45_000.0,
                        "prefix_hits",
                        460.0,
                        "prefix_queried",
                        1_000.0,
                        "preemptions",
                        3.0,
                        "graph_steps",
                        280.0,
                        "engine_queue_total_seconds",
                        3.5));
        expected.put(
                "trtllm",
                Map.of(
                        "running_requests_last",
                        7.0,
                        "waiting_requests_last",
                        3.0,
                        "paused_requests_last",
                        1.0,
                        "kv_usage_last",
                        0.5,
                        "kv_used_blocks_last",
                        1_000.0,
                        "kv_block_tokens_last",
                        32.0,
                        "prefix_hits",
                        40.0,
                        "prefix_queried",
                        100.0,
                        "accepted_tokens",
                        90.0,
                        "engine_queue_total_seconds",
                        3.5));
        expected.put("trtllm-old", Map.of("engine_succeeded", 25.0, "engine_queue_total_seconds", 3.5));
        expected.put(
                "triton",
                Map.of(
                        "running_requests_last",
                        7.0,
                        "waiting_requests_last",
                        3.0,
                        "kv_usage_last",
                        0.5,
                        "kv_used_blocks_last",
                        1_000.0,
                        "kv_block_tokens_last",
                        64.0,
                        "engine_succeeded",
                        25.0,
                        "engine_failed",
                        3.0,
                        "engine_queue_total_seconds",
                        3.5));
        expected.put(
                "tgi",
                Map.of(
                        "running_requests_last",
                        7.0,
                        "waiting_requests_last",
                        3.0,
                        "engine_generated_tokens",
                        700.0,
                        "engine_queue_total_seconds",
                        3.5));
        expected.put(
                "llamacpp",
                Map.of(
                        "running_requests_last",
                        7.0,
                        "waiting_requests_last",
                        3.0,
                        "requests_per_step_last",
                        2.5,
                        "longest_sequence_last",
                        4_096.0,
                        "engine_prompt_tokens",
                        5_000.0,
                        "accepted_tokens",
                        90.0,
                        "engine_prefill_total_seconds",
                        1.25));
        expected.put(
                "dynamo",
                Map.of(
                        "running_requests_last",
                        7.0,
                        "waiting_requests_last",
                        3.0,
                        "kv_usage_last",
                        0.5,
                        "kv_used_blocks_last",
                        1_000.0,
                        "prefix_hit_gauge_last",
                        0.4,
                        "engine_succeeded",
                        25.0));
        expected.forEach((replica, fields) -> awaitFields("engine", "replica", replica, "engine-replica", fields));
    }

    @Test
    void aDeviceOfTheExporterIsThereInBaseUnits() {
        awaitFields(
                "gpu",
                "gpu",
                "GPU-b",
                "gpu-device",
                Map.of(
                        "gpu_busy_last",
                        0.87,
                        "memory_bandwidth_last",
                        0.625,
                        "tensor_active_last",
                        0.45,
                        "gpu_memory_used_last_bytes",
                        (double) (120L << 30),
                        "power_last_watts",
                        412.525,
                        "temperature_last_celsius",
                        58.0,
                        "sm_clock_last_hertz",
                        1.98e9,
                        "pcie_replays",
                        4.0,
                        "energy_total_joules",
                        9.0));
    }

    @Test
    void whatServingProcessesReportIsThere() {
        awaitFields(
                "operator",
                "expert",
                "17",
                "operator-layer",
                Map.of("expert_utilization_mean", 0.25, "expert_utilization_max", 0.375, "samples", 2.0));
        awaitFields(
                "gpu",
                "gpu",
                "GPU-t",
                "gpu-device",
                Map.of("allocator_reserved_last_bytes", 4_000.0, "allocator_inactive_split_last_bytes", 300.0));
        awaitFields(
                "engine",
                "replica",
                "moe-0",
                "engine-replica",
                Map.of(
                        "graph_captures",
                        1.0,
                        "graph_capture_failures",
                        1.0,
                        "eager_steps",
                        1.0,
                        "step_n",
                        1.0,
                        "step_max_seconds",
                        0.008));
    }

    @Test
    void aKernelProfileIsThereByStageAndPrecision() {
        awaitFields(
                "kernel",
                "precision",
                "fp16+int4",
                "kernel-stage",
                Map.of(
                        "kernel_calls",
                        2.0,
                        "kernel_l2_hit_ratio",
                        0.75,
                        "kernel_l2_bytes_per_request",
                        32.0,
                        "kernel_time_total_seconds",
                        4e-6));
    }

    /** Counts are summed over the windows of a minute, last readings and greatest values are those of any of them. */
    private void awaitFields(String measurement, String tag, String value, String view, Map<String, Double> fields) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
            List<InfluxSeries> found = new InfluxReader(client())
                    .query(
                            RetentionPolicy.R1M,
                            "SELECT * FROM " + measurement + " WHERE view = '" + view + "' AND \"" + tag + "\" = '"
                                    + value + "'");
            SoftAssertions softly = new SoftAssertions();
            fields.forEach((field, expected) -> {
                double[] values = found.stream()
                        .flatMap(series -> series.rows().stream())
                        .map(row -> number(row, field))
                        .flatMap(Optional::stream)
                        .mapToDouble(Double::doubleValue)
                        .toArray();
                double sum = java.util.Arrays.stream(values).sum();
                double max = java.util.Arrays.stream(values).max().orElse(Double.NaN);
                softly.assertThat(isCount(field) ? sum : max)
                        .as(value + " " + field)
                        .isCloseTo(expected, org.assertj.core.data.Offset.offset(1e-9 * Math.max(1, expected)));
            });
            softly.assertAll();
        });
    }

    private static boolean isCount(String field) {
        return !field.matches(".*_(last|max|mean|ratio)(_[a-z_]+)?") && !field.endsWith("_per_request");
    }

    private static Optional<Double> number(InfluxRow row, String field) {
        return row.columns().contains(field) ? row.real(field).stream().boxed().findFirst() : Optional.empty();
    }

    /** Whether the probe has read a page of that target; one that came too late for it does not count. */
    private boolean isRead(String target) {
        return registry.scrape().stream()
                .filter(metric -> metric.getMetadata().getName().equals("inferwatch_engine_pages"))
                .flatMap(metric -> metric.getDataPoints().stream())
                .map(CounterDataPointSnapshot.class::cast)
                .anyMatch(point -> target.equals(point.getLabels().get("target")) && point.getValue() > 0);
    }

    private HttpServer servePages() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String name = exchange.getRequestURI().getPath().substring(1);
            String page = Files.readString(PAGES.resolve("engine").resolve(name + ".prom"));
            byte[] body = (isRead(name) ? page : zeros(page)).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        return server;
    }

    private static String zeros(String page) {
        StringBuilder zeros = new StringBuilder();
        page.lines().forEach(line -> zeros.append(
                        line.startsWith("#") || line.startsWith("process_start")
                                ? line
                                : line.replaceAll(" \\S+$", " 0"))
                .append('\n'));
        return zeros.toString();
    }

    private static EngineSettings engines(int port) {
        StringBuilder yaml = new StringBuilder("targets:\n");
        ENGINES.forEach(name -> yaml.append("  ")
                .append(name)
                .append(": {url: \"http://127.0.0.1:")
                .append(port)
                .append('/')
                .append(name)
                .append("\"}\n"));
        return EngineSettings.of(Settings.parse("targets", yaml.toString()), Duration.ofSeconds(1), List.of());
    }

    private void report(String path, String json) throws Exception {
        AdminServer server = admin;
        assertThat(server).isNotNull();
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                                .POST(HttpRequest.BodyPublishers.ofString(json))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private InfluxClient client() {
        InfluxClient present = client;
        if (present == null) {
            throw new IllegalStateException("not started");
        }
        return present;
    }
}
