package io.inferwatch.probes.gpu;

import picocli.CommandLine;

/** The GPU probe's command as a process of its own. */
final class GpuMain {
    private GpuMain() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GpuCommand()).execute(arguments));
    }
}
