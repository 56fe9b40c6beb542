package io.inferwatch.probes;

import io.inferwatch.probes.otlp.OtlpCommand;
import picocli.CommandLine.Command;

/** {@code inferwatch probe}: what measures requests beside the servers. */
@Command(
        name = "probe",
        description = "Measures requests where they are served and sends what it finds to Kafka.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = OtlpCommand.class)
public final class ProbeCommand {}
