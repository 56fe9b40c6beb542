package io.inferwatch.probes.proxy;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.process.DurationConverter;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.reports.ReportOptions;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe proxy}: serves until SIGTERM or Ctrl-C, then drains. Kafka need not be there. Exit status 2 when something given is wrong.
 */
@Command(
        name = "proxy",
        mixinStandardHelpOptions = true,
        description =
                "Stands in front of an inference server, passes everything on unchanged and measures every request.")
public final class ProxyCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--listen",
            paramLabel = "[HOST:]PORT",
            required = true,
            converter = ListenAddress.Converter.class,
            description = "Where clients come in. Without a host: loopback only; 0.0.0.0:PORT is open to all.")
    private ListenAddress listen = ListenAddress.parse("0");

    @Option(
            names = "--upstream",
            paramLabel = "URL",
            required = true,
            converter = ServerUriConverter.class,
            description = "The server, e.g. http://localhost:8000.")
    private URI upstream = URI.create("http://localhost");

    @Option(
            names = "--admin-listen",
            paramLabel = "[HOST:]PORT",
            defaultValue = "9464",
            converter = ListenAddress.Converter.class,
            description = "Where /metrics, /livez and /readyz are. Default: ${DEFAULT-VALUE}, on loopback.")
    private ListenAddress adminListen = ListenAddress.parse("0");

    @Option(
            names = "--replica",
            paramLabel = "NAME",
            description = "Stable name of the server, e.g. chat-0. Default: replica.name of the settings.")
    private @Nullable String replica;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file: replica, identity, tls, upstream-tls, timeouts, spool, otlp.")
    private @Nullable Path config;

    @Mixin
    private ReportOptions reportOptions = new ReportOptions();

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    @Option(
            names = "--drain-delay",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description =
                    "How long new requests are taken after SIGTERM, while load balancers notice. Default: ${DEFAULT-VALUE}.")
    private Duration drainDelay = Duration.ZERO;

    @Option(
            names = "--drain-timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long open requests may go on after that. Default: ${DEFAULT-VALUE}.")
    private Duration drainTimeout = Duration.ZERO;

    @Option(
            names = "--inject-usage",
            description =
                    "Asks for the token counts of streams whose clients do not, and takes the chunk that brings them out again.")
    private boolean injectUsage;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Event loops, each of which can fill a core. Default: the number of processors.")
    private @Nullable Integer threads;

    /** What options and settings file say together. */
    private record Configured(ProxySettings proxy, ProxyFile file) {}

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("proxy: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            Configured configured = configured();
            PublisherSettings publishing = PublisherSettings.of("proxy-" + UUID.randomUUID(), kafkaOptions.settings());
            if (configured.file().spool().isPresent()) {
                publishing = publishing.withSpool(configured.file().spool().get());
            }
            try (EventPublisher publisher = new KafkaPublisher(publishing)) {
                serve(configured, publisher, out, err);
            }
            return OK;
        } catch (InvalidSettingsException e) {
            err.println(command.qualifiedName() + ": " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private void serve(Configured configured, EventPublisher publisher, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        ProxyProbe probe = ProxyProbe.start(
                configured.proxy(),
                configured.file().replica(),
                configured.file().rules(),
                publisher,
                adminListen,
                reportOptions.settings(),
                configured.file().otlp());
        Thread onExit = new Thread(() -> drain(probe, publisher, err), "inferwatch-proxy-drain");
        Runtime.getRuntime().addShutdownHook(onExit);
        out.println("replica " + configured.file().replica().replica() + ": " + listen.host() + ":" + probe.port()
                + " -> " + upstream + ", admin on " + adminListen.host() + ":" + probe.adminPort());
        out.flush();
        probe.await();
    }

    /** Speaks by itself, for the log ends with SIGTERM. */
    private void drain(ProxyProbe probe, EventPublisher publisher, PrintWriter err) {
        try {
            if (!probe.drain(drainDelay, drainTimeout)) {
                err.println("inferwatch probe proxy: requests were still open after " + Settings.write(drainTimeout)
                        + " and are broken off");
                err.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            probe.close();
            publisher.close();
        }
    }

    private Configured configured() {
        Settings settings = config == null ? Settings.parse("settings", "") : Settings.read(config);
        Map<String, String> environment = new HashMap<>(System.getenv());
        if (replica != null) {
            environment.put("INFERWATCH_REPLICA", replica);
        }
        int loops = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        if (loops < 1 || loops > 256) {
            settings.problem("--threads", "from 1 to 256", Integer.toString(loops));
        }
        ProxyFile file = ProxyFile.of(settings, environment);
        settings.check();
        ProxySettings proxy = new ProxySettings(
                listen,
                upstream,
                file.tls(),
                file.upstreamTls(),
                file.timeouts().connect(),
                file.timeouts().upstream(),
                file.timeouts().idle(),
                loops,
                injectUsage);
        return new Configured(proxy, file);
    }
}
