package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.tls.TestCertificate;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporterBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both OTLP ports by TLS, with certificates asked of the senders, who use the official exporters. */
class OtlpTlsIT {
    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private TestCertificate ours;
    private TestCertificate sender;
    private OtlpProbe probe;

    @BeforeEach
    void start() throws IOException, InterruptedException, GeneralSecurityException {
        ours = TestCertificate.make(directory, "probe");
        sender = TestCertificate.make(directory, "sender");
        probe = OtlpProbe.start(settings(ours.certificate()), publisher, registry);
    }

    @AfterEach
    void stop() {
        probe.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void sendersThatAreKnownAreServed(String protocol) throws IOException {
        assertThat(send(exporter(protocol, "https", Optional.of(sender)))).isTrue();
        await().until(() -> publisher.events().size() == 1);
        assertThat(publisher.events().get(0).getTtftMicros()).isEqualTo(250_000);
        assertThat(posts("taken")).isEqualTo(1);
        assertThat(posts("tls_failed")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void aSenderWithoutACertificateIsNotServedAndCounted(String protocol) throws IOException {
        assertThat(send(exporter(protocol, "https", Optional.empty()))).isFalse();
        assertThat(posts("tls_failed")).isPositive();
        assertThat(posts("malformed")).isZero();
        assertThat(publisher.events()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "grpc"})
    void aSenderInPlainTextIsNotServedAndCounted(String protocol) throws IOException {
        assertThat(send(exporter(protocol, "http", Optional.empty()))).isFalse();
        assertThat(posts("tls_failed")).isPositive();
        assertThat(posts("malformed")).isZero();
        assertThat(publisher.events()).isEmpty();
    }

    @Test
    void filesThatHoldNoCertificateAreRefusedAtTheStart() throws IOException {
        Path text = Files.writeString(directory.resolve("no.pem"), "no certificate\n");
        assertThatThrownBy(() -> OtlpProbe.start(settings(text), publisher, new PrometheusRegistry()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("tls: must be certificates and keys in PEM, found");
    }

    private OtlpSettings settings(Path certificate) {
        Settings yaml = Settings.parse("settings", """
                join: {patience: 200ms}
                tls: {certificate: '%s', key: '%s', client-ca: '%s'}
                """.formatted(certificate, ours.key(), sender.certificate()));
        ListenAddress any = ListenAddress.parse("0");
        OtlpSettings settings = OtlpSettings.of(yaml, any, any, Optional.empty(), Spans.identity(directory));
        yaml.check();
        return settings;
    }

    private static boolean send(SpanExporter exporter) {
        return Exporters.sendVllm(exporter, "vllm-0", Spans.TRACE, Spans.CALLER);
    }

    /** One that trusts the probe, and does not try again. */
    private SpanExporter exporter(String protocol, String scheme, Optional<TestCertificate> shown) throws IOException {
        byte[] trusted = Files.readAllBytes(ours.certificate());
        if (protocol.equals("http")) {
            OtlpHttpSpanExporterBuilder http = OtlpHttpSpanExporter.builder()
                    .setEndpoint(scheme + "://localhost:" + probe.httpPort() + "/v1/traces")
                    .setRetryPolicy(null)
                    .setTrustedCertificates(trusted);
            if (shown.isPresent()) {
                http.setClientTls(
                        Files.readAllBytes(shown.get().key()),
                        Files.readAllBytes(shown.get().certificate()));
            }
            return http.build();
        }
        OtlpGrpcSpanExporterBuilder grpc = OtlpGrpcSpanExporter.builder()
                .setEndpoint(scheme + "://localhost:" + probe.grpcPort())
                .setRetryPolicy(null)
                .setTrustedCertificates(trusted);
        if (shown.isPresent()) {
            grpc.setClientTls(
                    Files.readAllBytes(shown.get().key()),
                    Files.readAllBytes(shown.get().certificate()));
        }
        return grpc.build();
    }

    private double posts(String result) {
        return registry.scrape().stream()
                .filter(metric -> metric.getMetadata().getName().equals("inferwatch_otlp_posts"))
                .flatMap(metric -> metric.getDataPoints().stream())
                .filter(point -> result.equals(point.getLabels().get("result")))
                .mapToDouble(point -> ((CounterDataPointSnapshot) point).getValue())
                .sum();
    }
}
