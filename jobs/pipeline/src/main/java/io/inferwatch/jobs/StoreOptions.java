package io.inferwatch.jobs;

import io.inferwatch.influx.InfluxOptions;
import io.inferwatch.jobs.store.WriterSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Mixin;

/** {@link StoreJob} by its options. */
public final class StoreOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Mixin
    private final InfluxOptions influxdb = new InfluxOptions();

    @Override
    public String jobName() {
        return StoreJob.NAME;
    }

    @Override
    public KafkaOptions kafka() {
        return kafka;
    }

    /** How it reaches InfluxDB. */
    public InfluxOptions influxdb() {
        return influxdb;
    }

    @Override
    public void build(StreamExecutionEnvironment environment) {
        KafkaConnection connection = kafka.connection();
        StoreJob.build(
                environment,
                StoreJob.Sources.kafka(connection),
                StoreJob.Sinks.of(influxdb.connection(), WriterSettings.byDefault(), connection),
                catalogue.yaml());
    }
}
