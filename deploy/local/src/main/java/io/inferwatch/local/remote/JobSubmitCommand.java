package io.inferwatch.local.remote;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch job submit}: starts a job on a Flink cluster, once, and says so when every task of it runs. */
@Command(
        name = "submit",
        description =
                "Starts a job on a Flink session cluster. A job that is there already is left alone, with status 1.",
        mixinStandardHelpOptions = true,
        footer = ProgramOptions.FOOTER)
public final class JobSubmitCommand implements Callable<Integer> {
    static final Duration START_PATIENCE = Duration.ofMinutes(2);

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final FlinkOption flinkOption = new FlinkOption();

    @Mixin
    private final ProgramOptions program = new ProgramOptions();

    @Option(
            names = "--from",
            paramLabel = "PATH",
            description =
                    "Savepoint or retained checkpoint to go on from, as the cluster sees it. Default: the job begins"
                            + " anew.")
    private @Nullable String savepoint;

    @Override
    public Integer call() throws InterruptedException {
        List<String> arguments = program.arguments();
        FlinkRest flink = flinkOption.connect();
        Optional<FlinkRest.Job> running = flink.job(program.jobName());
        if (running.isPresent()) {
            throw new FlinkRefusalException("job " + program.name() + ": must not be there, found "
                    + running.get().id() + " " + running.get().state() + "; inferwatch job upgrade replaces it");
        }
        String jar = flink.upload(program.jar());
        try {
            String job = flink.run(jar, arguments, program.parallelism(), Optional.ofNullable(savepoint));
            flink.awaitRunning(job, START_PATIENCE);
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            out.println(program.jobName() + " runs as " + job + " on " + flink.url()
                    + (savepoint == null ? "" : ", from " + savepoint));
            out.flush();
            return 0;
        } finally {
            flink.delete(jar);
        }
    }
}
