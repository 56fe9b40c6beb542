package io.inferwatch.report;

import picocli.CommandLine.Command;

/** {@code inferwatch report}: what is stored, computed anew for any period. */
@Command(
        name = "report",
        description = "Computes figures over any period from what is stored.",
        mixinStandardHelpOptions = true,
        subcommands = {
            QuantilesCommand.class,
            DriftCommand.class,
            PlacementCommand.class,
            MemoryCommand.class,
            BucketsCommand.class,
            AnomaliesCommand.class,
            CostCommand.class,
            TenantsCommand.class,
            CausesCommand.class,
            SloReportCommand.class
        })
public final class ReportCommand {}
