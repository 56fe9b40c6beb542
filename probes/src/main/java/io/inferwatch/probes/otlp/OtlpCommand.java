package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.identity.IdentityMetrics;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.process.ProbeProcess;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
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
            description = "YAML file: identity, replicas, sampling, join, tls, engine.")
    private @Nullable Path config;

    @Mixin
    private ProbeProcess process = new ProbeProcess();

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
        Settings root = config == null ? Settings.parse("settings", "") : Settings.read(config);
        IdentityRules identity = IdentityRules.of(root.section("identity"));
        OtlpSettings settings = OtlpSettings.of(root, http, grpc, Optional.ofNullable(tokenFile), identity);
        root.check();
        process.run(
                "otlp",
                admin,
                Optional.empty(),
                (publisher, registry, readiness) -> {
                    OtlpProbe probe = OtlpProbe.start(settings, publisher, registry);
                    IdentityMetrics.register(identity.malformed(), registry);
                    readiness.ready();
                    return new ProbeProcess.Running(
                            probe::close,
                            "OTLP/HTTP on port " + probe.httpPort() + ", OTLP/gRPC on port " + probe.grpcPort());
                },
                out);
        return OK;
    }
}
