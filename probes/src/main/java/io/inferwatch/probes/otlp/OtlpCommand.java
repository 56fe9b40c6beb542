package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.PublisherMetrics;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.identity.IdentityMetrics;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.publish.SpoolSettings;
import io.inferwatch.probes.reports.ReportOptions;
import io.inferwatch.probes.reports.Reports;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe otlp}: runs until it is stopped, then answers what is under way and publishes what waits. Kafka need not be there.
 * Exit status 2 when something given is wrong.
 */
@Command(
        name = "otlp",
        mixinStandardHelpOptions = true,
        description =
                "Takes the OpenTelemetry spans of vLLM, SGLang and applications and makes events of their requests.")
public final class OtlpCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;
    private static final int STOP_SECONDS = 30;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--http-listen",
            paramLabel = "HOST:PORT",
            defaultValue = "4318",
            converter = ListenAddress.Converter.class,
            description = "Where OTLP/HTTP is taken; without a host, loopback. Default: ${DEFAULT-VALUE}.")
    private ListenAddress http = ListenAddress.parse("4318");

    @Option(
            names = "--grpc-listen",
            paramLabel = "HOST:PORT",
            defaultValue = "4317",
            converter = ListenAddress.Converter.class,
            description = "Where OTLP/gRPC is taken. Default: ${DEFAULT-VALUE}.")
    private ListenAddress grpc = ListenAddress.parse("4317");

    @Option(
            names = "--admin-listen",
            paramLabel = "HOST:PORT",
            defaultValue = "9465",
            converter = ListenAddress.Converter.class,
            description = "Where /metrics, /livez and /readyz are. Default: ${DEFAULT-VALUE}.")
    private ListenAddress admin = ListenAddress.parse("9465");

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "Senders must send its text as 'authorization: Bearer TOKEN'. Default: no token is asked for.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file: identity, replicas, sampling, join, tls.")
    private @Nullable Path config;

    @Option(
            names = "--spool",
            paramLabel = "DIR",
            description = "Keeps events here while Kafka is away, up to 1 GiB. Default: in memory only.")
    private @Nullable Path spool;

    @Mixin
    private ReportOptions reportOptions = new ReportOptions();

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("otlp: must be run by picocli");
        }
        PrintWriter err = command.commandLine().getErr();
        try {
            return run(command.commandLine().getOut());
        } catch (InvalidSettingsException e) {
            err.println("inferwatch probe otlp: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private int run(PrintWriter out) throws InterruptedException {
        KafkaSettings kafka = kafkaOptions.settings();
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        IdentityRules identity = IdentityRules.of(root.section("identity"));
        OtlpSettings settings = OtlpSettings.of(root, http, grpc, Optional.ofNullable(tokenFile), identity);
        root.check();
        PublisherSettings publishing = PublisherSettings.of(instance(), kafka);
        if (spool != null) {
            publishing = publishing.withSpool(SpoolSettings.of(spool, SpoolSettings.DEFAULT_LIMIT_BYTES));
        }
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        PrometheusRegistry registry = new PrometheusRegistry();
        Readiness readiness = new Readiness();
        try (KafkaPublisher publisher = new KafkaPublisher(publishing);
                AdminServer adminServer = AdminServer.start(
                        admin,
                        registry,
                        readiness,
                        Reports.posts(
                                publisher,
                                Optional.empty(),
                                reportOptions.settings(),
                                registry,
                                InstantSource.system()));
                OtlpProbe probe = OtlpProbe.start(settings, publisher, registry)) {
            PublisherMetrics.register(publisher, registry);
            IdentityMetrics.register(identity.malformed(), registry);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stop, over), "inferwatch-probe-otlp-stop"));
            readiness.ready();
            out.println("OTLP/HTTP on port " + probe.httpPort() + ", OTLP/gRPC on port " + probe.grpcPort()
                    + ", /metrics on port " + adminServer.port());
            out.flush();
            stop.await();
            readiness.unready("stopping");
        } finally {
            over.countDown();
        }
        return OK;
    }

    /** Ctrl-C and SIGTERM: the process may go once what waits is published. */
    private static void stop(CountDownLatch stop, CountDownLatch over) {
        stop.countDown();
        try {
            var unused = over.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** New for every process, since its events are numbered from 0. */
    private static String instance() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown-host";
        }
        return "otlp-" + host + "-" + UUID.randomUUID().toString().substring(0, 8);
    }
}
