package io.inferwatch.probes.gpu;

import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.PublisherMetrics;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.publish.SpoolSettings;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code inferwatch probe gpu}: runs until it is stopped, then publishes what waits. Kafka need not be there; NVML must. Exit status 0 when it was stopped, 2 when something
 * given is wrong or this host has no driver. A driver that is there and does not work at present is waited for.
 */
@Command(
        name = "gpu",
        mixinStandardHelpOptions = true,
        description = "Samples the GPUs of this host, their MIG instances and the processes on them.",
        subcommands = {GpuCheckCommand.class, GpuTopologyCommand.class})
public final class GpuCommand implements Callable<Integer> {
    private static final int OK = 0;
    static final int BAD_INPUT = 2;
    private static final int STOP_SECONDS = 30;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            defaultValue = "1s",
            converter = Interval.class,
            description = "Between samples of a device, 100ms to 1m. Default: ${DEFAULT-VALUE}.")
    private Duration interval = Duration.ofSeconds(1);

    @Option(
            names = "--canary",
            description = "Also measures each device with CUDA every 5 min: a few milliseconds and 56 MiB of it.")
    private boolean canary;

    @Option(
            names = "--admin-listen",
            paramLabel = "HOST:PORT",
            defaultValue = "9467",
            converter = ListenAddress.Converter.class,
            description =
                    "Where /metrics, /livez and /readyz are; without a host, loopback. Default: ${DEFAULT-VALUE}.")
    private ListenAddress admin = ListenAddress.parse("9467");

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML with any of the sections replicas, host and canary.")
    private @Nullable Path config;

    @Option(
            names = "--spool",
            paramLabel = "DIR",
            description = "Keeps samples here while Kafka is away, up to 1 GiB. Default: in memory only.")
    private @Nullable Path spool;

    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT,...", description = "Kafka.")
    private @Nullable String bootstrapServers;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Properties for Kafka's client, e.g. for TLS and SASL. Never printed.")
    private @Nullable Path kafkaConfig;

    /** Reads the interval. */
    static final class Interval implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            Duration duration = Settings.parseDuration(text);
            if (duration == null
                    || duration.compareTo(GpuSettings.SHORTEST) < 0
                    || duration.compareTo(GpuSettings.LONGEST) > 0) {
                throw new TypeConversionException("must be a duration between " + Settings.write(GpuSettings.SHORTEST)
                        + " and " + Settings.write(GpuSettings.LONGEST) + " such as 1s, found '" + text + "'");
            }
            return duration;
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("gpu: must be run by picocli");
        }
        try {
            return run(command.commandLine().getOut());
        } catch (InvalidSettingsException | NvmlException | CudaUnavailableException e) {
            return refused(command, e);
        }
    }

    /** Says in one line what is wrong. */
    static int refused(CommandSpec command, Exception problem) {
        PrintWriter err = command.commandLine().getErr();
        err.println("inferwatch probe gpu: " + problem.getMessage());
        err.flush();
        return BAD_INPUT;
    }

    @SuppressWarnings("try") // the probe runs by itself until it is closed
    private int run(PrintWriter out) throws InterruptedException, NvmlException, CudaUnavailableException {
        KafkaSettings kafka = KafkaSettings.of(bootstrapServers, kafkaConfig);
        GpuSettings settings = settings(config, interval, canary);
        PublisherSettings publishing = PublisherSettings.of(instance(), kafka);
        if (spool != null) {
            publishing = publishing.withSpool(SpoolSettings.of(spool, SpoolSettings.DEFAULT_LIMIT_BYTES));
        }
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        PrometheusRegistry registry = new PrometheusRegistry();
        Readiness readiness = new Readiness();
        try (KafkaPublisher publisher = new KafkaPublisher(publishing);
                AdminServer adminServer = AdminServer.start(admin, registry, readiness);
                GpuProbe probe = GpuProbe.start(settings, publisher, readiness, registry)) {
            PublisherMetrics.register(publisher, registry);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(stop, over), "inferwatch-probe-gpu-stop"));
            out.println("sampling GPUs every " + Settings.write(interval) + ", /metrics on port " + adminServer.port());
            out.flush();
            stop.await();
            readiness.unready("stopping");
        } finally {
            over.countDown();
        }
        return OK;
    }

    /** Reads the settings file, if there is one. */
    static GpuSettings settings(@Nullable Path config, Duration interval, boolean canary) {
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        GpuSettings settings = GpuSettings.of(root, interval, canary, System.getenv());
        root.check();
        return settings;
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

    /** New for every process, since its samples are numbered from 0. */
    private static String instance() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown-host";
        }
        return "gpu-" + host + "-" + UUID.randomUUID().toString().substring(0, 8);
    }
}
