package io.inferwatch.local;

import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.ServerStartException;
import io.inferwatch.viewer.Viewer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Kafka, InfluxDB, the jobs and the page with the dashboards on one machine, in one process and two children, with all their data under one directory. A second start on that
 * directory goes on where the first stopped, however it stopped; two at once are the caller's to prevent, with {@link DataLock}. Not thread-safe.
 */
public final class LocalStack implements AutoCloseable {
    private static final int PARTITIONS = 3;

    /**
     * What to start.
     *
     * @param data directory of everything
     * @param influx a server that runs already; without it one is found on this machine and started
     * @param kafkaPort 0 is a free one
     * @param influxPort 0 is a free one
     * @param uiPort of Flink's web UI; 0 is a free one
     * @param pagePort of the page with the dashboards; 0 is a free one
     * @param alerting what is promised, and who hears of alerts
     */
    public record Options(
            Path data,
            Optional<InfluxConnection> influx,
            int parallelism,
            int kafkaPort,
            int influxPort,
            int uiPort,
            int pagePort,
            Alerting alerting) {
        /** Free ports, InfluxDB as found, two slots a job. */
        public static Options in(Path data) {
            return new Options(data, Optional.empty(), 2, 0, 0, 0, 0, Alerting.NONE);
        }

        /** The same in another directory. */
        public Options withData(Path directory) {
            return new Options(directory, influx, parallelism, kafkaPort, influxPort, uiPort, pagePort, alerting);
        }

        /** The same with this parallelism of each job. */
        public Options withParallelism(int newParallelism) {
            return new Options(data, influx, newParallelism, kafkaPort, influxPort, uiPort, pagePort, alerting);
        }

        /** The same with an InfluxDB that runs already. */
        public Options withInflux(InfluxConnection connection) {
            return new Options(
                    data, Optional.of(connection), parallelism, kafkaPort, influxPort, uiPort, pagePort, alerting);
        }

        /** The same with fixed ports. */
        public Options withPorts(int kafka, int influxdb, int ui, int page) {
            return new Options(data, influx, parallelism, kafka, influxdb, ui, page, alerting);
        }

        /** The same with promises and somebody who hears of alerts. */
        Options withAlerting(Alerting newAlerting) {
            return new Options(data, influx, parallelism, kafkaPort, influxPort, uiPort, pagePort, newAlerting);
        }
    }

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Options options;

    private @Nullable KafkaBroker broker;
    private @Nullable InfluxServer influxServer;
    private @Nullable FlinkCluster flink;
    private @Nullable InfluxConnection influx;
    private @Nullable Viewer viewer;
    private FlinkCluster.@Nullable Job measure;

    private LocalStack(Options options) {
        this.options = options;
    }

    /**
     * Starts everything and returns when the jobs have been handed to Flink.
     *
     * @param progress told each step in a line
     * @throws io.inferwatch.servers.ServerStartException when a server cannot be found or started
     */
    public static LocalStack start(Options options, Consumer<String> progress) {
        LocalStack stack = new LocalStack(options);
        try {
            stack.launch(progress);
            return stack;
        } catch (RuntimeException e) {
            stack.close();
            throw e;
        }
    }

    /** How clients reach Kafka. */
    public KafkaConnection kafka() {
        return KafkaConnection.to(broker().bootstrapServers());
    }

    /** How clients reach InfluxDB. */
    public InfluxConnection influx() {
        return started(influx);
    }

    /** Where the page with the dashboards is. */
    public String page() {
        return started(viewer).url();
    }

    /** Flink, with the jobs. */
    public FlinkCluster flink() {
        return started(flink);
    }

    /** The job that makes windows of events. */
    FlinkCluster.Job measure() {
        return started(measure);
    }

    /** The broker, for those who want to harm it. */
    KafkaBroker broker() {
        return started(broker);
    }

    /** InfluxDB, where this stack has started it. */
    Optional<InfluxServer> influxServer() {
        return Optional.ofNullable(influxServer);
    }

    /** Stops everything, last started first; data stay. */
    @Override
    public void close() {
        RuntimeException first = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                first = first == null ? new IllegalStateException("the local stack did not stop in order", e) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void launch(Consumer<String> progress) {
        startInflux(progress);
        startViewer();
        progress.accept("starting Kafka");
        KafkaBroker startedBroker = KafkaBroker.start(
                KafkaBroker.Options.in(options.data.resolve("kafka")).withPort(options.kafkaPort));
        broker = startedBroker;
        opened.push(startedBroker);
        createTopics();
        options.alerting.promise(kafka());
        options.alerting.tell(kafka(), page()).ifPresent(opened::push);
        progress.accept("starting Flink and the jobs");
        FlinkCluster startedFlink = FlinkCluster.start(FlinkCluster.Options.in(options.data.resolve("flink"))
                .withParallelism(options.parallelism)
                .withUiPort(options.uiPort)
                .withSettings(LocalJobs.clusterSettings(kafka())));
        flink = startedFlink;
        opened.push(startedFlink);
        measure = LocalJobs.startMeasure(startedFlink, kafka(), LocalJobs.MEASURE_SETTINGS);
        LocalJobs.startDetect(startedFlink, kafka());
        LocalJobs.startStore(startedFlink, kafka(), influx());
    }

    private void startInflux(Consumer<String> progress) {
        if (options.influx.isPresent()) {
            influx = options.influx.get();
        } else {
            progress.accept("looking for InfluxDB");
            InfluxProgram program = InfluxProgram.find().get();
            progress.accept("starting InfluxDB: " + program.description());
            InfluxServer server = InfluxServer.start(
                    program,
                    InfluxServer.Options.in(options.data.resolve("influxdb")).withPort(options.influxPort));
            influxServer = server;
            opened.push(server);
            influx = InfluxConnection.of(server.url());
        }
        LocalJobs.setUp(influx());
    }

    private void startViewer() {
        try {
            Viewer startedViewer = Viewer.start(influx(), options.pagePort);
            viewer = startedViewer;
            opened.push(startedViewer);
        } catch (UncheckedIOException e) {
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    private void createTopics() {
        try {
            KafkaTopics.create(kafka(), PARTITIONS, (short) 1);
        } catch (ExecutionException e) {
            throw new IllegalStateException("topics cannot be made: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while topics were made", e);
        }
    }

    private static <T> T started(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("not started");
        }
        return part;
    }
}
