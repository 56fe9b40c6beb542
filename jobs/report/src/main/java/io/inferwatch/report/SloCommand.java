package io.inferwatch.report;

import picocli.CommandLine.Command;

/** {@code inferwatch slo}: what is promised. */
@Command(
        name = "slo",
        description = "Checks service level objectives (OpenSLO v1) and hands them to the running jobs.",
        mixinStandardHelpOptions = true,
        subcommands = {SloValidateCommand.class, SloApplyCommand.class, SloListCommand.class, SloPresetCommand.class})
public final class SloCommand {}
