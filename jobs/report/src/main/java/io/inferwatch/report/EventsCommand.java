package io.inferwatch.report;

import picocli.CommandLine.Command;

/** {@code inferwatch events}: what lies in Kafka. */
@Command(
        name = "events",
        description = "Shows what lies in Inferwatch's Kafka topics.",
        mixinStandardHelpOptions = true,
        subcommands = EventsTailCommand.class)
public final class EventsCommand {}
