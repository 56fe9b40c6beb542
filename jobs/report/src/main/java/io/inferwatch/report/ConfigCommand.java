package io.inferwatch.report;

import picocli.CommandLine.Command;

/** {@code inferwatch config}: what running jobs are told beside their catalogue. */
@Command(
        name = "config",
        description =
                "Shows and changes what running jobs are told beside their catalogue: thresholds, baselines, limits, prices, experiments.",
        mixinStandardHelpOptions = true,
        subcommands = {
            ConfigSetCommand.class,
            ConfigListCommand.class,
            ConfigDeleteCommand.class,
            ConfigDealCommand.class
        })
public final class ConfigCommand {}
