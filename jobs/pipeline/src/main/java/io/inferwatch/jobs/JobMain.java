package io.inferwatch.jobs;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The entry class of the job jar on a Flink cluster, by REST or in application mode: {@code measure OPTIONS}, {@code detect OPTIONS}, {@code store OPTIONS} or
 * {@code backfill OPTIONS}. Options, files
 * and secrets are checked on the JobManager before anything runs; what is wrong is thrown as one message. The cluster's configuration goes before
 * {@link JobDefaults}, except for {@link #FIXED}.
 */
public final class JobMain {
    /** What the jobs' code is written for: no cluster may set it otherwise. */
    static final Set<String> FIXED = Set.of(
            PipelineOptions.OBJECT_REUSE.key(),
            PipelineOptions.GENERIC_TYPES.key(),
            PipelineOptions.AUTO_GENERATE_UIDS.key(),
            PipelineOptions.MAX_PARALLELISM.key());

    private JobMain() {}

    /** The jobs by their names on the command line, with default options. */
    public static Map<String, JobGraph> jobs() {
        return new TreeMap<>(Map.of(
                "measure",
                new MeasureOptions(),
                "detect",
                new DetectOptions(),
                "store",
                new StoreOptions(),
                "backfill",
                new BackfillOptions()));
    }

    /**
     * The job that the arguments describe.
     *
     * @throws IllegalArgumentException with what is wrong with them
     */
    public static JobGraph parse(String... arguments) {
        Map<String, JobGraph> jobs = jobs();
        JobGraph job = arguments.length == 0 ? null : jobs.get(arguments[0]);
        if (job == null) {
            throw new IllegalArgumentException("job: must be one of " + String.join(", ", jobs.keySet()) + ", found "
                    + (arguments.length == 0 ? "nothing" : "'" + arguments[0] + "'"));
        }
        CommandSpec spec = CommandSpec.create().name("job " + arguments[0]);
        spec.addMixin("job", CommandSpec.forAnnotatedObject(job));
        try {
            new CommandLine(spec).parseArgs(Arrays.copyOfRange(arguments, 1, arguments.length));
            return job;
        } catch (ParameterException e) {
            throw new IllegalArgumentException("job " + arguments[0] + ": " + e.getMessage(), e);
        }
    }

    /** Builds the job that the arguments describe and gives it to the cluster. */
    public static void main(String[] arguments) throws Exception {
        JobGraph job = parse(arguments);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.configure(
                settings(Configuration.fromMap(environment.getConfiguration().toMap())));
        job.build(environment);
        environment.execute(job.jobName());
    }

    /** The defaults without those that the cluster sets itself. */
    static Configuration settings(Configuration cluster) {
        Configuration settings = JobDefaults.configuration();
        cluster.keySet().stream().filter(key -> !FIXED.contains(key)).forEach(settings::removeKey);
        return settings;
    }
}
