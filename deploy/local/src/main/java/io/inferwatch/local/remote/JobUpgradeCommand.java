package io.inferwatch.local.remote;

import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch job upgrade}: replaces a running job by another version, settings or parallelism of itself, without loss. All of the savepoint's
 * state must find its place in the new one. Whatever fails before the savepoint is complete leaves the old job running.
 */
@Command(
        name = "upgrade",
        description =
                "Stops a job on a Flink session cluster with a savepoint and starts it from there, with another jar or"
                        + " other options.",
        mixinStandardHelpOptions = true,
        footer = ProgramOptions.FOOTER)
public final class JobUpgradeCommand implements Callable<Integer> {
    /** What Flink says of a source that is partly stopped, and of a job that is about to start again. */
    private static final List<String> PASSING =
            List.of("PartialFinishingNotSupportedByStateException", "is not being executed at the moment");

    private static final int TRIES = 8;
    private static final long PAUSE_MILLIS = 1_000;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final FlinkOption flinkOption = new FlinkOption();

    @Mixin
    private final SavepointOption savepoints = new SavepointOption();

    @Mixin
    private final ProgramOptions program = new ProgramOptions();

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        List<String> arguments = program.arguments();
        FlinkRest flink = flinkOption.connect();
        FlinkRest.Job old = RunningJob.of(flink, program.name(), program.jobName());
        String jar = flink.upload(program.jar());
        try {
            String savepoint = stop(flink, old);
            out.println(program.jobName() + " stopped as " + old.id() + " with savepoint " + savepoint);
            out.flush();
            start(flink, jar, arguments, savepoint, out);
            return 0;
        } finally {
            flink.delete(jar);
        }
    }

    /**
     * Stops the job with a savepoint. Flink refuses one that finds one part of a source stopped and another not yet, and fails the job over to its latest
     * checkpoint; the job is then stopped again once it runs, which it is said to do for a moment before it fails.
     */
    private String stop(FlinkRest flink, FlinkRest.Job job) throws InterruptedException {
        for (int left = TRIES - 1; ; left--) {
            try {
                return flink.stop(job, savepoints.directory(), SavepointOption.PATIENCE);
            } catch (FlinkRefusalException e) {
                String message = String.valueOf(e.getMessage());
                if (left == 0 || PASSING.stream().noneMatch(message::contains)) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
                flink.awaitRunning(job.id(), JobSubmitCommand.START_PATIENCE);
            }
        }
    }

    private void start(FlinkRest flink, String jar, List<String> arguments, String savepoint, PrintWriter out)
            throws InterruptedException {
        try {
            String job = flink.run(jar, arguments, program.parallelism(), Optional.of(savepoint));
            flink.awaitRunning(job, JobSubmitCommand.START_PATIENCE);
            out.println(program.jobName() + " runs as " + job + " on " + flink.url() + ", from " + savepoint);
            out.flush();
        } catch (FlinkRefusalException e) {
            throw new FlinkRefusalException(e.getMessage() + "\nBack: inferwatch job submit " + program.name()
                    + " --from " + savepoint + " --jar with the jar before, and its options");
        }
    }
}
