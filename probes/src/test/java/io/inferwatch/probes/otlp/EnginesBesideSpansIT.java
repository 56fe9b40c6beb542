package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The OTLP probe's process reads the engines' own counters as well. */
class EnginesBesideSpansIT {
    private static final long MINUTE_MICROS = 60_000_000;

    @TempDir
    private Path directory;

    @Test
    void theSectionEngineScrapesInTheSameProcess() throws IOException {
        byte[] page = "vllm:request_success_total{finished_reason=\"stop\"} 5\n".getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        Settings root = Settings.parse(
                "settings",
                "engine: {interval: 100ms, targets: {vllm-0: {url: \"http://127.0.0.1:"
                        + server.getAddress().getPort() + "\"}}}");
        OtlpSettings settings = OtlpSettings.of(
                root, ListenAddress.parse("0"), ListenAddress.parse("0"), Optional.empty(), Spans.identity(directory));
        root.check();
        EventList published = new EventList();
        PrometheusRegistry registry = new PrometheusRegistry();
        try (OtlpProbe probe = OtlpProbe.start(settings, published, registry)) {
            assertThat(probe.httpPort()).isPositive();
            await().until(() -> !published.all(EngineSample.class).isEmpty());
        } finally {
            server.stop(0);
        }
        assertThat(published.all(EngineSample.class).get(0).getReplica()).isEqualTo("vllm-0");
        assertThat(registry.scrape().stream().map(metric -> metric.getMetadata().getName()))
                .contains("inferwatch_engine_pages", "inferwatch_otlp_spans");
    }

    /** 100 requests finished in the minute by the engine's count, of which 90 have a span: one in ten is lost. */
    @Test
    void samplesFeedTheEstimateOfLostSpans() {
        SpanLoss loss = new SpanLoss();
        OtlpProbe.finished(loss, sample(0, 0, 0));
        OtlpProbe.finished(loss, sample(MINUTE_MICROS, 80, 20));
        OtlpProbe.finished(loss, sample(2 * MINUTE_MICROS, 80, 20));
        for (int i = 0; i < 90; i++) {
            loss.span("vllm-0", MINUTE_MICROS / 2);
        }
        loss.judge(2 * MINUTE_MICROS);
        assertThat(loss.estimates()).hasSize(1);
        assertThat(loss.estimates().get(0).lostRatio()).isCloseTo(0.1, within(1e-9));
    }

    private static EngineSample sample(long atMicros, long succeeded, long aborted) {
        return EngineSample.newBuilder()
                .setStream("")
                .setSequence(0)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(MINUTE_MICROS)
                .setReplica("vllm-0")
                .setMapping("test")
                .setSucceededTotal(succeeded)
                .setAbortedTotal(aborted)
                .build();
    }
}
