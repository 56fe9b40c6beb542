package io.inferwatch.local.bench;

import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.jobs.DetectJob;
import io.inferwatch.jobs.JobDefaults;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.StoreJob;
import io.inferwatch.jobs.store.WriterSettings;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The jobs in this JVM, as {@code inferwatch up} runs them, with the catalogue that is shipped. Closed, all are cancelled. */
final class BenchJobs implements AutoCloseable {
    private static final int PARALLELISM = 2;

    private final Path directory;
    private final KafkaConnection kafka;
    private final String catalogue = MetricCatalogue.shippedYaml();
    private final Map<String, JobClient> running = new LinkedHashMap<>();

    BenchJobs(Path directory, KafkaConnection kafka) {
        this.directory = directory;
        this.kafka = kafka;
    }

    void measure(MeasureSettings settings) throws Exception {
        StreamExecutionEnvironment environment = environment("measure");
        MeasureJob.build(
                environment,
                MeasureJob.Sources.kafka(kafka, catalogue),
                MeasureJob.Sinks.kafka(kafka),
                catalogue,
                settings);
        running.put("measure", environment.executeAsync(MeasureJob.NAME));
    }

    void detect() throws Exception {
        StreamExecutionEnvironment environment = environment("detect");
        DetectJob.build(
                environment,
                DetectJob.Sources.kafka(kafka),
                DetectJob.Sinks.kafka(kafka),
                catalogue,
                DetectJob.DISORDER);
        running.put("detect", environment.executeAsync(DetectJob.NAME));
    }

    void store(InfluxConnection influx) throws Exception {
        StreamExecutionEnvironment environment = environment("store");
        StoreJob.build(
                environment,
                StoreJob.Sources.kafka(kafka),
                StoreJob.Sinks.of(influx, WriterSettings.byDefault(), kafka),
                catalogue);
        running.put("store", environment.executeAsync(StoreJob.NAME));
    }

    /** Ends a job with a savepoint, and returns where that lies. */
    Path stop(String job) throws Exception {
        JobClient client = running.remove(job);
        if (client == null) {
            throw new IllegalStateException("job " + job + " does not run");
        }
        Path target = directory.resolve("savepoints").resolve(job);
        var unused = client.stopWithSavepoint(false, target.toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        return target;
    }

    @Override
    public void close() {
        running.values().forEach(client -> client.cancel().join());
    }

    private StreamExecutionEnvironment environment(String job) {
        Path own = directory.resolve(job);
        Configuration configuration = JobDefaults.configuration();
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, PARALLELISM);
        configuration.set(CoreOptions.TMP_DIRS, own.toString());
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                own.resolve("checkpoints").toUri().toString());
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    }
}
