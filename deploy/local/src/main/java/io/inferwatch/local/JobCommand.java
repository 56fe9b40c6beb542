package io.inferwatch.local;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxOptions;
import io.inferwatch.jobs.DetectJob;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.StoreJob;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.store.WriterSettings;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
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
 * directory it goes on from its newest checkpoint.
 */
@Command(
        name = "job",
        description = "Runs one of the jobs in this process, against Kafka and InfluxDB that run elsewhere.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {JobCommand.Measure.class, JobCommand.Detect.class, JobCommand.Store.class})
final class JobCommand {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final long PACE_MILLIS = 1_000;
    private static final int FAILED = 1;

    private JobCommand() {}

    /** The options that all jobs have. */
    static final class Common {
        @Option(
                names = "--bootstrap-servers",
                paramLabel = "HOST:PORT,...",
                defaultValue = "localhost:9092",
                description = "Kafka brokers. Default: ${DEFAULT-VALUE}.")
        private String bootstrapServers = "";

        @Option(
                names = "--kafka-config",
                paramLabel = "FILE",
                description = "Properties file with further settings of the Kafka client, such as TLS and SASL.")
        private @Nullable Path kafkaConfig;

        @Option(
                names = "--data",
                paramLabel = "DIR",
                description = "Directory of checkpoints and log. Default: .inferwatch/job-NAME in the working copy.")
        private @Nullable Path data;

        @Option(
                names = "--parallelism",
                paramLabel = "N",
                defaultValue = "2",
                description = "Parallelism of the job. Default: ${DEFAULT-VALUE}.")
        private int parallelism;

        @Option(
                names = "--ui-port",
                paramLabel = "PORT",
                defaultValue = "0",
                description = "Port of Flink's web UI on loopback; 0 is a free one. Default: ${DEFAULT-VALUE}.")
        private int uiPort;

        @Option(
                names = "--catalogue",
                paramLabel = "FILE",
                description = "Metric catalogue. Default: the one that is shipped.")
        private @Nullable Path catalogue;

        /** The client's settings, with a check that Kafka answers and has the topic. */
        KafkaConnection kafka(Topic topic) {
            KafkaSettings.of(bootstrapServers, kafkaConfig).requireTopic(topic, CONNECT_TIMEOUT);
            Map<String, String> properties = new HashMap<>();
            if (kafkaConfig != null) {
                Properties read = new Properties();
                try (Reader reader = Files.newBufferedReader(kafkaConfig)) {
                    read.load(reader);
                } catch (IOException e) {
                    throw new CommandLineException("--kafka-config: must be readable, found " + kafkaConfig + ": " + e);
                }
                read.stringPropertyNames()
                        .forEach(name ->
                                properties.put(name, read.getProperty(name).trim()));
            }
            return new KafkaConnection(bootstrapServers, properties);
        }

        String catalogueYaml() {
            if (catalogue == null) {
                return MetricCatalogue.shippedYaml();
            }
            try {
                String yaml = Files.readString(catalogue, StandardCharsets.UTF_8);
                MetricCatalogue.parse(catalogue.toString(), yaml);
                return yaml;
            } catch (IOException e) {
                throw new InvalidSettingsException(catalogue.toString(), List.of("must be readable, found " + e));
            }
        }

        int run(
                String name,
                String shownName,
                KafkaConnection kafka,
                Consumer<StreamExecutionEnvironment> graph,
                CommandLine commandLine)
                throws InterruptedException {
            if (parallelism < 1 || parallelism > 64) {
                throw new CommandLineException("--parallelism: must be from 1 to 64, found " + parallelism);
            }
            Path directory = data == null
                    ? Home.data("job-" + name)
                    : data.toAbsolutePath().normalize();
            PrintWriter out = commandLine.getOut();
            return Foreground.run(commandLine, directory, log -> {
                try (FlinkCluster flink = FlinkCluster.start(FlinkCluster.Options.in(directory)
                        .withParallelism(parallelism)
                        .withUiPort(uiPort)
                        .withSettings(HealthReporter.configuration(kafka.bootstrapServers(), kafka.clientProperties())
                                .toMap()))) {
                    FlinkCluster.Job job = flink.start(name, shownName, graph);
                    out.println(job.restoredFrom()
                            .map(checkpoint -> shownName + " goes on from " + checkpoint)
                            .orElse(shownName + " begins"));
                    out.println("  Flink  " + flink.url());
                    out.println("  Kafka  " + kafka);
                    out.println("  data   " + directory);
                    out.println("  log    " + log);
                    out.println("Ctrl-C stops it; started again it goes on where it stopped.");
                    out.flush();
                    while (!job.status().isGloballyTerminalState()) {
                        Thread.sleep(PACE_MILLIS);
                    }
                    out.println(shownName + " ended as " + job.status() + ": "
                            + job.failure().map(Throwable::toString).orElse("no reason known"));
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
        private final Common common = new Common();

        @Option(
                names = "--settings",
                paramLabel = "FILE",
                description = "YAML file with watermark delay, lateness, idleness, alignment and goodput limits.")
        private @Nullable Path settings;

        @Override
        public Integer call() throws InterruptedException {
            MeasureSettings measure = settings == null ? MeasureSettings.byDefault() : MeasureSettings.read(settings);
            String catalogue = common.catalogueYaml();
            KafkaConnection kafka = common.kafka(Topic.REQUESTS);
            return common.run(
                    "measure",
                    MeasureJob.NAME,
                    kafka,
                    environment -> MeasureJob.build(
                            environment,
                            MeasureJob.Sources.kafka(kafka, catalogue),
                            MeasureJob.Sinks.kafka(kafka),
                            catalogue,
                            measure),
                    Objects.requireNonNull(spec).commandLine());
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
        private final Common common = new Common();

        @Override
        public Integer call() throws InterruptedException {
            String catalogue = common.catalogueYaml();
            KafkaConnection kafka = common.kafka(Topic.WINDOWS);
            return common.run(
                    "detect",
                    DetectJob.NAME,
                    kafka,
                    environment -> DetectJob.build(
                            environment,
                            DetectJob.Sources.kafka(kafka),
                            DetectJob.Sinks.kafka(kafka),
                            catalogue,
                            DetectJob.DISORDER),
                    Objects.requireNonNull(spec).commandLine());
        }
    }

    /** {@code inferwatch job store}. */
    @Command(
            name = "store",
            description = "Writes windows, results, alerts and health from Kafka to InfluxDB.",
            mixinStandardHelpOptions = true)
    static final class Store implements Callable<Integer> {
        @Spec
        private @Nullable CommandSpec spec;

        @Mixin
        private final Common common = new Common();

        @Mixin
        private final InfluxOptions influxdb = new InfluxOptions();

        @Override
        public Integer call() throws InterruptedException {
            String catalogue = common.catalogueYaml();
            InfluxConnection influx = influxdb.connection();
            try (InfluxClient client = InfluxClient.open(influx)) {
                client.version();
            }
            KafkaConnection kafka = common.kafka(Topic.WINDOWS);
            return common.run(
                    "store",
                    StoreJob.NAME,
                    kafka,
                    environment -> StoreJob.build(
                            environment,
                            StoreJob.Sources.kafka(kafka),
                            StoreJob.Sinks.of(influx, WriterSettings.byDefault(), kafka),
                            catalogue),
                    Objects.requireNonNull(spec).commandLine());
        }
    }
}
