package io.inferwatch.local;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.jobs.DetectJob;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.StoreJob;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.store.WriterSettings;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.Map;

/** The jobs as production builds them, with sources and sinks of the local stack. */
final class LocalJobs {
    /** Partitions may be read far apart in event time: the alignment would slow down replays that are faster than 60 times. */
    static final MeasureSettings MEASURE_SETTINGS = MeasureSettings.parse("local stack", "alignment-drift: 1h");

    private LocalJobs() {}

    /** Flink's settings that make the jobs report their health to Kafka. */
    static Map<String, String> clusterSettings(KafkaConnection kafka) {
        return HealthReporter.configuration(kafka.bootstrapServers(), kafka.clientProperties())
                .toMap();
    }

    /** Makes database and retention policies, or buckets. */
    static void setUp(InfluxConnection influx) {
        try (InfluxClient client = InfluxClient.open(influx)) {
            new InfluxSetup(client).run();
        }
    }

    static FlinkCluster.Job startMeasure(FlinkCluster flink, KafkaConnection kafka, MeasureSettings settings) {
        String catalogue = MetricCatalogue.shippedYaml();
        return flink.start(
                "measure",
                MeasureJob.NAME,
                environment -> MeasureJob.build(
                        environment,
                        MeasureJob.Sources.kafka(kafka, catalogue),
                        MeasureJob.Sinks.kafka(kafka),
                        catalogue,
                        settings));
    }

    static FlinkCluster.Job startDetect(FlinkCluster flink, KafkaConnection kafka) {
        return flink.start(
                "detect",
                DetectJob.NAME,
                environment -> DetectJob.build(
                        environment,
                        DetectJob.Sources.kafka(kafka),
                        DetectJob.Sinks.kafka(kafka),
                        MetricCatalogue.shippedYaml(),
                        DetectJob.DISORDER));
    }

    static FlinkCluster.Job startStore(FlinkCluster flink, KafkaConnection kafka, InfluxConnection influx) {
        String catalogue = MetricCatalogue.shippedYaml();
        return flink.start(
                "store",
                StoreJob.NAME,
                environment -> StoreJob.build(
                        environment,
                        StoreJob.Sources.kafka(kafka),
                        StoreJob.Sinks.of(influx, WriterSettings.byDefault(), kafka),
                        catalogue));
    }
}
