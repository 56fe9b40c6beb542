package io.inferwatch.probes;

import io.inferwatch.probes.engine.EngineCommand;
import io.inferwatch.probes.gpu.GpuCommand;
import io.inferwatch.probes.otlp.OtlpCommand;
import io.inferwatch.probes.proxy.ProxyCommand;
import picocli.CommandLine.Command;

/** {@code inferwatch probe}: what measures beside the servers. */
@Command(
        name = "probe",
        description = "Measures requests, engines and GPUs where requests are served and sends what it finds to Kafka.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ProxyCommand.class, OtlpCommand.class, EngineCommand.class, GpuCommand.class})
public final class ProbeCommand {}
