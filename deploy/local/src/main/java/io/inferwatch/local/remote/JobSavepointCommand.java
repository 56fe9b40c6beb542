package io.inferwatch.local.remote;

import io.inferwatch.jobs.JobGraph;
import io.inferwatch.jobs.JobMain;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch job savepoint}: a savepoint of a job that goes on. */
@Command(
        name = "savepoint",
        description = "Takes a savepoint of a job on a Flink session cluster, which goes on, and says where it is.",
        mixinStandardHelpOptions = true)
public final class JobSavepointCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final FlinkOption flinkOption = new FlinkOption();

    @Mixin
    private final SavepointOption savepoints = new SavepointOption();

    @Parameters(paramLabel = "JOB", description = "measure, detect or store.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
        JobGraph graph = JobMain.jobs().get(name);
        if (graph == null) {
            throw new ParameterException(
                    commandLine,
                    "job: must be one of " + String.join(", ", JobMain.jobs().keySet()) + ", found '" + name + "'");
        }
        FlinkRest flink = flinkOption.connect();
        FlinkRest.Job job = RunningJob.of(flink, name, graph.jobName());
        PrintWriter out = commandLine.getOut();
        out.println(flink.savepoint(job, savepoints.directory(), SavepointOption.PATIENCE));
        out.flush();
        return 0;
    }
}
