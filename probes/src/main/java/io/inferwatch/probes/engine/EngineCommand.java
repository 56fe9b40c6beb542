package io.inferwatch.probes.engine;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.gpu.GpuProbe;
import io.inferwatch.probes.gpu.GpuSettings;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.pods.PodResources;
import io.inferwatch.probes.process.ProbeProcess;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch probe engine}: scrapes until it is stopped, then publishes what waits. Neither Kafka nor any target need be there. Exit status 2 when something given is wrong.
 */
@Command(
        name = "engine",
        mixinStandardHelpOptions = true,
        description =
                "Scrapes the metrics of engines and GPU exporters and publishes them under the same names for all.",
        subcommands = EngineCheckCommand.class)
public final class EngineCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;
    private static final Duration GPU_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LEAST_INTERVAL = Duration.ofMillis(100);
    private static final Duration GREATEST_INTERVAL = Duration.ofHours(1);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--targets",
            paramLabel = "[NAME=]URL,...",
            split = ",",
            description =
                    "Pages, each with the name of its replica; the path is /metrics unless it says another. A single one without a name is 'replica' of"
                            + " the settings, or of the environment; others are their host and port.")
    private List<String> targets = List.of();

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "Between two scrapes of a target. Default: ${DEFAULT-VALUE}.")
    private String interval = "10s";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML with any of the sections targets, discover, scrape, mappings, replica.")
    private @Nullable Path config;

    @Option(
            names = "--admin-listen",
            paramLabel = "[HOST:]PORT",
            defaultValue = "9466",
            converter = ListenAddress.Converter.class,
            description = "Where /metrics, /livez and /readyz are. Default: ${DEFAULT-VALUE}, on loopback.")
    private ListenAddress admin = ListenAddress.parse("9466");

    @Option(
            names = "--gpu",
            description =
                    "Also samples the GPUs of this host once a second, as probe gpu does with its defaults; without a driver it says so and goes on.")
    private boolean gpu;

    @Mixin
    private ProbeProcess process = new ProbeProcess();

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("engine: must be run by picocli");
        }
        try {
            return run(command.commandLine().getOut());
        } catch (InvalidSettingsException e) {
            PrintWriter err = command.commandLine().getErr();
            err.println(command.qualifiedName() + ": " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private int run(PrintWriter out) throws InterruptedException {
        EngineSettings settings = settings(System.getenv());
        process.run(
                "engine",
                admin,
                Optional.empty(),
                (publisher, registry, readiness) -> {
                    EngineProbe probe = EngineProbe.start(settings, publisher, registry, sample -> {});
                    Optional<GpuProbe> gpus = gpus(publisher, registry);
                    readiness.ready();
                    return new ProbeProcess.Running(
                            () -> {
                                probe.close();
                                gpus.ifPresent(GpuProbe::close);
                            },
                            "scraping every " + interval + " the targets of: "
                                    + String.join(", ", probe.sourceFailures().keySet()));
                },
                out);
        return OK;
    }

    private Optional<GpuProbe> gpus(EventPublisher publisher, PrometheusRegistry registry) {
        if (!gpu) {
            return Optional.empty();
        }
        GpuSettings settings =
                GpuSettings.of(Settings.parse("gpu", ""), GPU_INTERVAL, false, PodResources.kubelet(), System.getenv());
        return GpuProbe.startIfPresent(settings, publisher, registry);
    }

    /** What the options and the settings file say. */
    EngineSettings settings(Map<String, String> environment) {
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        Duration every = Settings.parseDuration(interval);
        if (every == null || every.compareTo(LEAST_INTERVAL) < 0 || every.compareTo(GREATEST_INTERVAL) > 0) {
            root.problem("--interval", "a duration between 100ms and 1h such as 10s", "'" + interval + "'");
            every = ScrapeSettings.DEFAULT_INTERVAL;
        }
        List<Target> given = new ArrayList<>();
        for (String text : targets) {
            given.add(given(root, text, environment));
        }
        EngineSettings settings = EngineSettings.of(root, every, given);
        if (settings.sources().isEmpty()) {
            root.problem("--targets", "given, or targets or discover in the settings", "nothing");
        }
        root.check();
        return settings;
    }

    private Target given(Settings root, String text, Map<String, String> environment) {
        int equals = text.indexOf('=');
        boolean isNamed = equals > 0 && !text.substring(0, equals).contains(":");
        URI url = TargetReader.url(isNamed ? text.substring(equals + 1) : text);
        if (url == null) {
            root.problem("--targets", TargetReader.MUST_BE, "'" + text + "'");
            url = URI.create("http://localhost/metrics");
        }
        boolean isOnly = targets.size() == 1;
        Map<String, String> named = new HashMap<>(isOnly ? environment : Map.of());
        if (isNamed) {
            named.put("INFERWATCH_REPLICA", text.substring(0, equals));
        } else {
            named.putIfAbsent("INFERWATCH_REPLICA", url.getAuthority());
        }
        Settings section = isOnly ? root.section("replica") : Settings.parse("replica", "");
        return TargetReader.target(url, ReplicaIdentity.of(section, named));
    }
}
