package io.inferwatch.probes.otlp;

import picocli.CommandLine;

/** The OTLP probe's command as a process of its own. */
final class OtlpProcess {
    private OtlpProcess() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new OtlpCommand()).execute(arguments));
    }
}
