package io.inferwatch.probes.corpus;

import picocli.CommandLine.Command;

/** {@code inferwatch corpus}. */
@Command(
        name = "corpus",
        description = "Collects prompts to load servers with.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {CorpusBuildCommand.class, CorpusVerifyCommand.class})
public final class CorpusCommand {}
