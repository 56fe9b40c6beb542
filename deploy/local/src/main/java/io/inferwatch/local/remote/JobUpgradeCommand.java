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
            String savepoint = flink.stop(old, savepoints.directory(), SavepointOption.PATIENCE);
            out.println(program.jobName() + " stopped as " + old.id() + " with savepoint " + savepoint);
            out.flush();
            start(flink, jar, arguments, savepoint, out);
            return 0;
        } finally {
            flink.delete(jar);
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
