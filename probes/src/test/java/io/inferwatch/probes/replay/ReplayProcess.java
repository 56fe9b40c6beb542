package io.inferwatch.probes.replay;

import picocli.CommandLine;

/** The replay command as a process of its own. */
final class ReplayProcess {
    private ReplayProcess() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ReplayCommand()).execute(arguments));
    }
}
