package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The probe against real servers that do what servers do. */
class EngineProbeIT {
    private static final String TEXT = "text/plain; version=0.0.4";
    private static final String PAGE = "vllm:num_requests_running{model_name=\"m\"} 3\nvllm:num_requests_waiting 1\n";
    private static final byte[] BOMB = gzip("# comment\n".repeat(100_000), 50);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /** Asks often, and leaves a busy machine time to answer. */
    private static final ScrapeSettings PATIENT =
            new ScrapeSettings(INTERVAL, Duration.ofSeconds(2), 1 << 20, 1_000, Duration.ofSeconds(5), INTERVAL, false);

    private final PageServer server = new PageServer();
    private final EventList events = new EventList();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final List<AutoCloseable> open = new ArrayList<>(List.of(server));

    @TempDir
    private Path directory;

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @Test
    void aTargetThatHangsFailsOrSendsTooMuchDelaysNoOther() {
        server.on("/good", TEXT, PAGE)
                .hanging("/hangs")
                .on("/failing", exchange -> exchange.sendResponseHeaders(500, -1))
                .on("/huge", exchange -> {
                    exchange.sendResponseHeaders(200, 0);
                    byte[] piece =
                            "vllm:num_requests_running 1 \n".repeat(10_000).getBytes(StandardCharsets.UTF_8);
                    for (int sent = 0; sent < 50_000_000; sent += piece.length) {
                        exchange.getResponseBody().write(piece);
                    }
                })
                .on("/bomb", exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    PageServer.send(exchange, TEXT, BOMB);
                })
                .on("/json", "application/json", "{\"iteration\": 1}")
                .on("/garbled", exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    PageServer.send(exchange, TEXT, new byte[] {1, 2, 3});
                })
                .on("/cut", "application/openmetrics-text; version=1.0.0", PAGE);
        start(
                PATIENT,
                target("good", "/good"),
                target("hangs", "/hangs"),
                target("failing", "/failing"),
                target("huge", "/huge"),
                target("bomb", "/bomb"),
                target("json", "/json"),
                target("garbled", "/garbled"),
                target("cut", "/cut"));
        await().untilAsserted(() -> {
            assertThat(failures("hangs")).containsKey(ScrapeFailure.TIMEOUT);
            assertThat(failures("failing")).containsOnlyKeys(ScrapeFailure.STATUS);
            assertThat(failures("huge")).containsKey(ScrapeFailure.TOO_LARGE);
            assertThat(failures("bomb")).containsKey(ScrapeFailure.TOO_LARGE);
            assertThat(failures("json")).containsOnlyKeys(ScrapeFailure.NO_SAMPLES);
            assertThat(failures("garbled")).containsOnlyKeys(ScrapeFailure.ENCODING);
            assertThat(failures("cut")).containsOnlyKeys(ScrapeFailure.INCOMPLETE);
            assertThat(status("good").pages()).isGreaterThan(10);
        });
        assertThat(failures("good")).isEmpty();
        assertThat(events.all(EngineSample.class))
                .allSatisfy(sample -> assertThat(sample.getReplica()).isEqualTo("good"));
        assertThat(metric("inferwatch_engine_scrape_failures", "failing", "status"))
                .isPositive();
        assertThat(metric("inferwatch_engine_scrape_failures", "failing", "timeout"))
                .isZero();
    }

    @Test
    void nothingThatListensIsAFailureToConnect() throws IOException {
        PageServer gone = new PageServer();
        Target target = TargetReader.target(gone.url("/metrics"), identity("gone"));
        gone.close();
        start(ScrapeSettings.every(INTERVAL), target);
        await().untilAsserted(() -> assertThat(failures("gone")).containsOnlyKeys(ScrapeFailure.CONNECT));
    }

    @Test
    void prm08ARedirectOnTheSameHostIsFollowedAndNoOther() {
        server.on("/metrics", exchange -> {
                    String path = exchange.getRequestURI().getPath();
                    if (path.equals("/metrics/")) {
                        PageServer.send(exchange, TEXT, PAGE.getBytes(StandardCharsets.UTF_8));
                    } else {
                        exchange.getResponseHeaders().set("Location", "/metrics/");
                        exchange.sendResponseHeaders(307, -1);
                    }
                })
                .on("/away", exchange -> {
                    exchange.getResponseHeaders().set("Location", "http://example.invalid/metrics");
                    exchange.sendResponseHeaders(302, -1);
                })
                .on("/round", exchange -> {
                    exchange.getResponseHeaders().set("Location", "/round");
                    exchange.sendResponseHeaders(302, -1);
                })
                .on("/empty", TEXT, "");
        start(
                PATIENT,
                target("here", "/metrics"),
                target("away", "/away"),
                target("round", "/round"),
                target("empty", "/empty"));
        await().untilAsserted(() -> {
            assertThat(status("here").pages()).isPositive();
            assertThat(failures("away")).containsOnlyKeys(ScrapeFailure.REDIRECT);
            assertThat(failures("round")).containsOnlyKeys(ScrapeFailure.REDIRECT);
            assertThat(failures("empty")).containsOnlyKeys(ScrapeFailure.NO_SAMPLES);
        });
    }

    @Test
    void gzipProtobufAndTextUnderAnotherTypeAreRead() {
        server.on("/gzip", exchange -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    PageServer.send(exchange, TEXT, gzip(PAGE));
                })
                .on("/json", "application/json; charset=UTF-8", PAGE)
                .on("/open", "application/openmetrics-text; version=1.0.0", PAGE + "# EOF\n");
        start(
                ScrapeSettings.every(INTERVAL),
                target("gzip", "/gzip"),
                target("prm33", "/json"),
                target("open", "/open"));
        await().untilAsserted(() -> assertThat(events.all(EngineSample.class))
                .extracting(EngineSample::getReplica)
                .contains("gzip", "prm33", "open"));
        assertThat(events.all(EngineSample.class))
                .allSatisfy(sample -> assertThat(sample.getRunningRequests()).isEqualTo(3));
        assertThat(status("prm33").unexpectedTypes()).isPositive();
        assertThat(status("gzip").unexpectedTypes()).isZero();
    }

    @Test
    void aSlowTargetIsAskedLessOftenUntilItIsQuickAgain() {
        AtomicInteger delayMillis = new AtomicInteger(60);
        server.on("/slow", exchange -> {
            // The server takes its time: that is what is measured.
            LockSupport.parkNanos(delayMillis.get() * 1_000_000L);
            PageServer.send(exchange, TEXT, PAGE.getBytes(StandardCharsets.UTF_8));
        });
        ScrapeSettings settings = new ScrapeSettings(
                INTERVAL, Duration.ofSeconds(2), 1 << 20, 1_000, Duration.ofMillis(50), Duration.ofMillis(400), false);
        start(settings, target("slow", "/slow"));
        await().untilAsserted(() -> assertThat(status("slow").intervalMicros()).isEqualTo(400_000));
        assertThat(status("slow").backOffs()).isEqualTo(2);
        delayMillis.set(0);
        await().untilAsserted(() -> assertThat(status("slow").intervalMicros()).isEqualTo(100_000));
        assertThat(events.all(EngineSample.class))
                .extracting(EngineSample::getIntervalMicros)
                .contains(100_000L, 200_000L, 400_000L);
    }

    @Test
    void theTokenIsSentAndWhoseSampleItIsIsSaid() throws IOException {
        List<String> authorizations = new CopyOnWriteArrayList<>();
        server.on("/metrics", exchange -> {
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            PageServer.send(
                    exchange,
                    TEXT,
                    (PAGE + "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\"} 41\n").getBytes(StandardCharsets.UTF_8));
        });
        Path token = Files.writeString(directory.resolve("token"), "secret\n");
        Settings settings = Settings.parse(
                "test",
                "targets: {chat-0: {url: \"" + server.url("") + "\", token-file: " + token
                        + ", pod: chat-0-x, node: n1, region: eu, pool: h200, version: \"7\", gpu-uuids: [GPU-1]}}");
        EngineSettings engine = EngineSettings.of(settings, INTERVAL, List.of());
        settings.check();
        open.add(EngineProbe.start(engine, events, registry, sample -> {}));
        await().until(() -> !events.all(GpuSample.class).isEmpty());
        assertThat(authorizations).contains("Bearer secret");
        EngineSample sample = events.all(EngineSample.class).get(0);
        assertThat(sample.getReplica()).isEqualTo("chat-0");
        assertThat(sample.getPod()).isEqualTo("chat-0-x");
        assertThat(sample.getNode()).isEqualTo("n1");
        assertThat(sample.getRegion()).isEqualTo("eu");
        assertThat(sample.getPool()).isEqualTo("h200");
        assertThat(sample.getVersion()).isEqualTo("7");
        assertThat(sample.getModel()).isEqualTo("m");
        assertThat(sample.getGpuUuids()).containsExactly("GPU-1");
        assertThat(sample.getScrapeMicros()).isPositive();
        GpuSample gpu = events.all(GpuSample.class).get(0);
        assertThat(gpu.getReplica()).isEqualTo("chat-0");
        assertThat(gpu.getNode()).isEqualTo("n1");
    }

    @Test
    void targetsOfAFileComeGoAndMoveWhileTheirCountsGoOn() throws IOException {
        AtomicInteger tokens = new AtomicInteger(100);
        PageServer.Answer counting = exchange -> PageServer.send(
                exchange,
                TEXT,
                ("process_start_time_seconds 5\nvllm:generation_tokens_total " + tokens.incrementAndGet() + "\n")
                        .getBytes(StandardCharsets.UTF_8));
        server.on("/a", counting).on("/b", counting).on("/c", TEXT, PAGE);
        Path file = directory.resolve("targets.yaml");
        Files.writeString(file, "r-1: {url: \"" + server.url("/a") + "\", version: \"1\"}\n");
        EngineSettings settings = new EngineSettings(
                ScrapeSettings.every(INTERVAL), MappingTable.builtIn(), List.of(new TargetFile(file)));
        EngineProbe probe = EngineProbe.start(settings, events, registry, sample -> {});
        open.add(probe);
        await().until(() -> events.all(EngineSample.class).size() > 2);
        Files.writeString(file, "r-1: {url: \"" + server.url("/b") + "\", version: \"2\"\n");
        await().until(() -> probe.sourceFailures().get("file").get() > 0);
        Files.writeString(
                file,
                "{\"name\": \"r-1\", \"url\": \"" + server.url("/b")
                        + "\", \"version\": \"2\"}\n{\"name\": \"r-2\", \"url\": \"" + server.url("/c") + "\"}\n");
        await().until(() -> events.all(EngineSample.class).stream()
                .anyMatch(sample -> sample.getReplica().equals("r-2")));
        await().until(() -> server.asked("/b") > 3);
        List<EngineSample> first = events.all(EngineSample.class).stream()
                .filter(sample -> sample.getReplica().equals("r-1"))
                .toList();
        assertThat(first).extracting(EngineSample::getVersion).contains("1", "2");
        assertThat(first)
                .extracting(EngineSample::getGeneratedTokensTotal)
                .isSorted()
                .doesNotHaveDuplicates();
        Files.writeString(file, "r-2: {url: \"" + server.url("/c") + "\"}\n");
        await().until(() -> probe.statuses().size() == 1);
    }

    private void start(ScrapeSettings settings, Target... targets) {
        EngineProbe probe = EngineProbe.start(
                new EngineSettings(settings, MappingTable.builtIn(), List.of(new FixedTargets(List.of(targets)))),
                events,
                registry,
                sample -> {});
        open.add(probe);
    }

    private Target target(String replica, String path) {
        return TargetReader.target(server.url(path), identity(replica));
    }

    private static ReplicaIdentity identity(String replica) {
        return ReplicaIdentity.of(Settings.parse("replica", ""), Map.of("INFERWATCH_REPLICA", replica));
    }

    private TargetStatus status(String replica) {
        EngineProbe probe = (EngineProbe) open.get(open.size() - 1);
        return probe.statuses().stream()
                .filter(status -> status.replica().equals(replica))
                .findFirst()
                .orElseThrow(() -> new AssertionError(replica + ": must be there"));
    }

    private Map<ScrapeFailure, Long> failures(String replica) {
        return status(replica).failures();
    }

    private double metric(String name, String target, String reason) {
        return registry.scrape().stream()
                .filter(metric -> metric.getMetadata().getName().equals(name))
                .flatMap(metric -> metric.getDataPoints().stream())
                .filter(point -> target.equals(point.getLabels().get("target"))
                        && reason.equals(point.getLabels().get("reason")))
                .mapToDouble(point -> ((CounterSnapshot.CounterDataPointSnapshot) point).getValue())
                .findFirst()
                .orElseThrow();
    }

    private static byte[] gzip(String text) {
        return gzip(text, 1);
    }

    private static byte[] gzip(String text, int times) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < times; i++) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }
}
