package io.inferwatch.probes.gpu;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.pods.PodResources;
import io.inferwatch.probes.process.ProbeProcess;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code inferwatch probe gpu}: runs until it is stopped, then publishes what waits. Kafka need not be there; NVML must. Exit status 2 when something
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
            names = "--pod-resources",
            paramLabel = "SOCKET",
            description =
                    "The kubelet's Unix socket, which says what pod holds which device. Default: the kubelet's own"
                            + " place, where it is there.")
    private @Nullable Path podResources;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML with any of the sections replicas, host and canary.")
    private @Nullable Path config;

    @Mixin
    private ProbeProcess process = new ProbeProcess();

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
    public Integer call() throws Exception {
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

    private int run(PrintWriter out) throws Exception {
        Path socket = podResources;
        if (socket != null && !Files.exists(socket)) {
            throw new InvalidSettingsException(
                    "gpu", List.of("--pod-resources: must be a Unix socket that is there, found '" + socket + "'"));
        }
        Optional<Path> kubelet = socket == null ? PodResources.kubelet() : Optional.of(socket);
        GpuSettings settings = settings(config, interval, canary, kubelet);
        process.run(
                "gpu",
                admin,
                Optional.empty(),
                (publisher, registry, readiness) -> {
                    GpuProbe probe = GpuProbe.start(settings, publisher, readiness, registry);
                    return new ProbeProcess.Running(probe::close, "sampling GPUs every " + Settings.write(interval));
                },
                out);
        return OK;
    }

    /** Reads the settings file, if there is one. */
    static GpuSettings settings(@Nullable Path config, Duration interval, boolean canary, Optional<Path> podResources) {
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        GpuSettings settings = GpuSettings.of(root, interval, canary, podResources, System.getenv());
        root.check();
        return settings;
    }
}
