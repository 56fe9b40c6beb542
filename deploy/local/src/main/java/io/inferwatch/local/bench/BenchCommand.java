package io.inferwatch.local.bench;

import picocli.CommandLine.Command;

/** {@code inferwatch bench}. */
@Command(
        name = "bench",
        description = "Measures what the jobs cost and how late their results are, on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {PipelineBenchCommand.class, LatencyBenchCommand.class})
public final class BenchCommand {}
