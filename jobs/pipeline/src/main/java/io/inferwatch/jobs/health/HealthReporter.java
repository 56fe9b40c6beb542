package io.inferwatch.jobs.health;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.Topic;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.metrics.reporter.Scheduled;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink metric reporter that sends a {@link HealthSample} for each job of ours in this process to {@link Topic#HEALTH}, every reporting
 * interval. A sample holds the {@link HealthMetric}s found, summed over subtasks, with {@code requests_per_second} and {@code
 * checkpoint_age_seconds} worked out from them. While Kafka is away samples are dropped; nothing waits for them.
 *
 * <p>Switched on by {@link #configuration(String, Properties)}.
 */
public final class HealthReporter implements MetricReporter, Scheduled {
    /** Jobs whose name starts so are ours; the rest of the name is the sample's component. */
    public static final String JOB_PREFIX = "Inferwatch ";

    private static final Logger LOG = LoggerFactory.getLogger(HealthReporter.class);
    private static final String NAME = "inferwatch";
    private static final String KAFKA_PREFIX = "kafka.";

    private record Registered(String component, HealthMetric health) {}

    private record Previous(double requests, long atMillis) {}

    private record Checkpoint(double id, long seenAtMillis) {}

    private final Map<Metric, Registered> metrics = new ConcurrentHashMap<>();
    private final Map<String, Previous> previousByComponent = new HashMap<>();
    private final Map<String, Checkpoint> checkpointByComponent = new HashMap<>();
    private final EventCodec codec = new EventCodec();
    private final InstantSource clock;
    private final String instance = ManagementFactory.getRuntimeMXBean().getName();

    private @Nullable Producer<byte[], byte[]> producer;

    HealthReporter(InstantSource clock) {
        this.clock = clock;
    }

    /** Made by Flink from the configuration. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new HealthReporter(InstantSource.system());
        }
    }

    /** The settings of a Flink process that switch the reporter on. */
    public static Configuration configuration(String bootstrapServers, Properties kafka) {
        Configuration configuration = new Configuration();
        String prefix = "metrics.reporter." + NAME + ".";
        configuration.setString("metrics.reporters", NAME);
        configuration.setString(prefix + "factory.class", Factory.class.getName());
        configuration.setString(prefix + "interval", "10 SECONDS");
        kafka.forEach((key, value) -> configuration.setString(prefix + KAFKA_PREFIX + key, value.toString()));
        configuration.setString(prefix + KAFKA_PREFIX + "bootstrap.servers", bootstrapServers);
        return configuration;
    }

    @Override
    public void open(MetricConfig config) {
        Properties properties = new Properties();
        for (String key : config.stringPropertyNames()) {
            if (key.startsWith(KAFKA_PREFIX)) {
                properties.put(key.substring(KAFKA_PREFIX.length()), config.getProperty(key));
            }
        }
        // A sample is worth nothing when it is old, and the reporting thread is shared.
        properties.putIfAbsent("max.block.ms", "100");
        properties.putIfAbsent("delivery.timeout.ms", "10000");
        properties.putIfAbsent("request.timeout.ms", "5000");
        properties.putIfAbsent("linger.ms", "0");
        properties.putIfAbsent("buffer.memory", "1048576");
        // A plugin's classes have a loader of their own; Kafka looks for its classes by the thread's.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(HealthReporter.class.getClassLoader());
        try {
            producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        String job = group.getAllVariables().get("<job_name>");
        if (job == null || !job.startsWith(JOB_PREFIX)) {
            return;
        }
        HealthMetric.ofFlinkName(name)
                .ifPresent(health -> metrics.put(metric, new Registered(job.substring(JOB_PREFIX.length()), health)));
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        metrics.remove(metric);
    }

    @Override
    public void report() {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            return;
        }
        read().forEach((component, values) -> {
            HealthSample sample = new HealthSample(component, instance, clock.millis() * 1000, values);
            var unused = open.send(
                    new ProducerRecord<>(
                            Topic.HEALTH.topicName(), component.getBytes(StandardCharsets.UTF_8), codec.encode(sample)),
                    (metadata, failure) -> {
                        if (failure != null) {
                            LOG.debug("A health sample of {} was dropped: {}", component, failure.getMessage());
                        }
                    });
        });
    }

    /** The values of each component, now. */
    Map<String, Map<String, Double>> read() {
        Map<String, Map<String, Double>> byComponent = new TreeMap<>();
        metrics.forEach((metric, registered) -> {
            double value = value(metric);
            if (Double.isFinite(value)) {
                byComponent
                        .computeIfAbsent(registered.component, c -> new TreeMap<>())
                        .merge(registered.health.label(), value, registered.health.merge()::of);
            }
        });
        byComponent.forEach((component, values) -> {
            addRate(component, values);
            addCheckpointAge(component, values);
        });
        return byComponent;
    }

    private void addRate(String component, Map<String, Double> values) {
        Double requests = values.get(HealthMetric.REQUESTS.label());
        if (requests == null) {
            return;
        }
        long now = clock.millis();
        Previous previous = previousByComponent.put(component, new Previous(requests, now));
        // After a restart the counters start anew.
        if (previous != null && now > previous.atMillis && requests >= previous.requests) {
            values.put("requests_per_second", (requests - previous.requests) * 1000 / (now - previous.atMillis));
        }
    }

    private void addCheckpointAge(String component, Map<String, Double> values) {
        Double id = values.get(HealthMetric.CHECKPOINT_ID.label());
        if (id == null || id <= 0) {
            return;
        }
        long now = clock.millis();
        Checkpoint last = checkpointByComponent.get(component);
        if (last == null || last.id != id) {
            last = new Checkpoint(id, now);
            checkpointByComponent.put(component, last);
        }
        values.put("checkpoint_age_seconds", (now - last.seenAtMillis) / 1000.0);
    }

    private static double value(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        if (metric instanceof Gauge<?> gauge) {
            try {
                return gauge.getValue() instanceof Number number ? number.doubleValue() : Double.NaN;
            } catch (RuntimeException e) {
                // A gauge of a task that is being torn down; it is gone with the next report.
                LOG.debug("A gauge could not be read", e);
                return Double.NaN;
            }
        }
        return Double.NaN;
    }
}
