package io.inferwatch.local;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.jobs.DetectOptions;
import io.inferwatch.jobs.JobGraph;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureOptions;
import io.inferwatch.jobs.StoreOptions;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.local.remote.JobSavepointCommand;
import io.inferwatch.local.remote.JobSubmitCommand;
import io.inferwatch.local.remote.JobUpgradeCommand;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.schemas.Topic;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch job}: one job by itself in this process, against Kafka and InfluxDB that run elsewhere, until Ctrl-C. Started again on its data
 * directory it goes on from its newest checkpoint. Further commands drive the jobs on a Flink cluster.
 */
@Command(
        name = "job",
        description =
                "Runs one of the jobs in this process, against Kafka and InfluxDB that run elsewhere, or drives those"
                        + " on a Flink cluster.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            JobCommand.Measure.class,
            JobCommand.Detect.class,
            JobCommand.Store.class,
            JobSubmitCommand.class,
            JobUpgradeCommand.class,
            JobSavepointCommand.class
        })
final class JobCommand {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final long PACE_MILLIS = 1_000;
    private static final int FAILED = 1;

    private JobCommand() {}

    /** Where and how a job runs in this process. */
    static final class Here {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                description = "Directory of checkpoints and log. Default: .inferwatch/job-NAME in the working copy.")
        private @Nullable Path data;

        @Mixin
        private final LocalParallelism parallelism = new LocalParallelism();

        @Option(
                names = "--ui-port",
                paramLabel = "PORT",
                defaultValue = "0",
                description = "Port of Flink's web UI on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}.")
        private int uiPort;

        int run(JobGraph job, Topic input, CommandLine commandLine) throws InterruptedException {
            int jobParallelism = parallelism.checked();
            // Everything that can be wrong is found before anything starts.
            job.build(StreamExecutionEnvironment.getExecutionEnvironment());
            KafkaSettings.of(job.kafka().bootstrapServers(), job.kafka().configuration())
                    .requireTopic(input, CONNECT_TIMEOUT);
            String name = commandLine.getCommandName();
            Path directory = data == null
                    ? Home.data("job-" + name)
                    : data.toAbsolutePath().normalize();
            KafkaConnection kafka = job.kafka().connection();
            PrintWriter out = commandLine.getOut();
            return Foreground.run(commandLine, directory, log -> {
                try (FlinkCluster flink = FlinkCluster.start(FlinkCluster.Options.in(directory)
                        .withParallelism(jobParallelism)
                        .withUiPort(uiPort)
                        .withSettings(HealthReporter.configuration(kafka.bootstrapServers(), kafka.clientProperties())
                                .toMap()))) {
                    FlinkCluster.Job running = flink.start(name, job.jobName(), job::build);
                    out.println(running.restoredFrom()
                            .map(checkpoint -> job.jobName() + " goes on from " + checkpoint)
                            .orElse(job.jobName() + " begins"));
                    out.println("  Flink  " + flink.url());
                    out.println("  Kafka  " + kafka);
                    out.println("  data   " + directory);
                    out.println("  log    " + log);
                    out.println("Ctrl-C stops it; started again it goes on where it stopped.");
                    out.flush();
                    while (!running.status().isGloballyTerminalState()) {
                        Thread.sleep(PACE_MILLIS);
                    }
                    out.println(job.jobName() + " ended as " + running.status() + ": "
                            + running.failure().map(Throwable::toString).orElse("no reason known"));
                    return FAILED;
                }
            });
        }
    }

    /** {@code inferwatch job measure}. */
    @Command(
            name = "measure",
            description = "Turns the events in Kafka into windows in Kafka.",
            mixinStandardHelpOptions = true)
    static final class Measure implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Mixin
        private final Here here = new Here();

        @Mixin
        private final MeasureOptions job = new MeasureOptions();

        @Override
        public Integer call() throws InterruptedException {
            return here.run(job, Topic.REQUESTS, Objects.requireNonNull(spec).commandLine());
        }
    }

    /** {@code inferwatch job detect}. */
    @Command(
            name = "detect",
            description = "Judges the windows in Kafka: drift, comparisons, alerts.",
            mixinStandardHelpOptions = true)
    static final class Detect implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Mixin
        private final Here here = new Here();

        @Mixin
        private final DetectOptions job = new DetectOptions();

        @Override
        public Integer call() throws InterruptedException {
            return here.run(job, Topic.WINDOWS, Objects.requireNonNull(spec).commandLine());
        }
    }

    /** {@code inferwatch job store}. */
    @Command(
            name = "store",
            description = "Writes windows, alerts and health from Kafka to InfluxDB.",
            mixinStandardHelpOptions = true)
    static final class Store implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Mixin
        private final Here here = new Here();

        @Mixin
        private final StoreOptions job = new StoreOptions();

        @Override
        public Integer call() throws InterruptedException {
            try (InfluxClient client = InfluxClient.open(job.influxdb().connection())) {
                client.version();
            }
            return here.run(job, Topic.WINDOWS, Objects.requireNonNull(spec).commandLine());
        }
    }
}
