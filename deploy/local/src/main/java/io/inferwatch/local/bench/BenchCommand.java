package io.inferwatch.local.bench;

import picocli.CommandLine.Command;

/** {@code inferwatch bench}. */
@Command(
        name = "bench",
        description = "Measures what the jobs and the probes cost and how late results are, on this machine.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PipelineBenchCommand.class,
            LatencyBenchCommand.class,
            SizingBenchCommand.class,
            SamplesBenchCommand.class,
            ProxyBenchCommand.class,
            LoadBenchCommand.class,
            LengthsBenchCommand.class,
            EngineBenchCommand.class,
            GpuBenchCommand.class,
            AnomalyBenchCommand.class,
            RegressionBenchCommand.class
        })
public final class BenchCommand {}
