package io.inferwatch.report;

import picocli.CommandLine.Command;

/** {@code inferwatch config}: what running jobs are told beside their catalogue. */
@Command(
        name = "config",
        description = "Shows and changes the thresholds and baselines of running jobs.",
        mixinStandardHelpOptions = true,
        subcommands = {ConfigSetCommand.class, ConfigListCommand.class, ConfigDeleteCommand.class})
public final class ConfigCommand {}
