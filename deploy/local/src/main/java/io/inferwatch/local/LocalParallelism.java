package io.inferwatch.local;

import picocli.CommandLine.Option;

/** The parallelism of jobs that run in this process. */
final class LocalParallelism {
    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "2",
            description = "Parallelism of each job. Default: ${DEFAULT-VALUE}.")
    private int parallelism;

    /** As given; a value that no process can bear ends the command with status 2. */
    int checked() {
        if (parallelism < 1 || parallelism > 64) {
            throw new CommandLineException("--parallelism: must be from 1 to 64, found " + parallelism);
        }
        return parallelism;
    }
}
