package io.inferwatch.schemas;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;

/** The Kafka topics of Inferwatch, each with the key of its records and the settings that its promise needs. */
public enum Topic {
    /** {@link RequestEvent} and {@link Heartbeat}, keyed by replica; stamped by the broker, so that no host's clock runs ahead. */
    REQUESTS("inferwatch.requests", Retention.DAYS_7, Stamp.BROKER),
    /** {@link EngineSample}, keyed by replica. */
    ENGINE("inferwatch.engine", Retention.DAYS_7, Stamp.BROKER),
    /** {@link GpuSample}, keyed by the GPU's UUID. */
    GPU("inferwatch.gpu", Retention.DAYS_7, Stamp.BROKER),
    /** {@link KernelProfile}, keyed by replica. */
    KERNELS("inferwatch.kernels", Retention.DAYS_7, Stamp.BROKER),
    /** {@link OperatorMetric}, keyed by replica. */
    OPERATORS("inferwatch.operators", Retention.DAYS_7, Stamp.BROKER),
    /** {@link WindowStat}, keyed by series. */
    WINDOWS("inferwatch.windows", Retention.DAYS_7, Stamp.PRODUCER),
    /** {@link DriftResult}, {@link ComparisonResult} and {@link FigureResult}, keyed by what they are of. */
    RESULTS("inferwatch.results", Retention.DAYS_7, Stamp.PRODUCER),
    /** {@link Setting}, keyed by kind/name; the last record holds. */
    CONFIG("inferwatch.config", Retention.COMPACTED, Stamp.PRODUCER),
    /** {@link Alert}, keyed by fingerprint; the last record is the present state. */
    ALERTS("inferwatch.alerts", Retention.COMPACTED, Stamp.PRODUCER),
    /** {@link HealthSample}, keyed by component. */
    HEALTH("inferwatch.health", Retention.DAYS_1, Stamp.PRODUCER),
    /** Events too late for their window, byte for byte as they came, keyed by replica. */
    LATE("inferwatch.late", Retention.DAYS_7, Stamp.PRODUCER),
    /** {@link DeadLetter}, without a key. */
    DEAD_LETTERS("inferwatch.dead-letters", Retention.DAYS_7, Stamp.PRODUCER);

    private enum Retention {
        DAYS_1,
        DAYS_7,
        COMPACTED
    }

    private enum Stamp {
        BROKER,
        PRODUCER
    }

    private final String topicName;
    private final Retention retention;
    private final Stamp stamp;

    Topic(String topicName, Retention retention, Stamp stamp) {
        this.topicName = topicName;
        this.retention = retention;
        this.stamp = stamp;
    }

    /** The topic's name in Kafka. */
    public String topicName() {
        return topicName;
    }

    /** Kafka's topic settings that this topic's promise rests on, by Kafka's names. */
    public Map<String, String> kafkaSettings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("message.timestamp.type", stamp == Stamp.BROKER ? "LogAppendTime" : "CreateTime");
        switch (retention) {
            case COMPACTED -> settings.put("cleanup.policy", "compact");
            case DAYS_1 ->
                settings.put("retention.ms", Long.toString(Duration.ofDays(1).toMillis()));
            case DAYS_7 ->
                settings.put("retention.ms", Long.toString(Duration.ofDays(7).toMillis()));
        }
        return settings;
    }

    /**
     * The topic that an encoded event of a probe belongs to; the requests topic for bytes that no released schema explains, where the job says what is wrong with them.
     */
    public static Topic of(byte[] event) {
        Schema schema;
        try {
            schema = ReleasedSchemas.all().byFingerprint(EventCodec.fingerprint(event));
        } catch (UndecodableEventException e) {
            return REQUESTS;
        }
        return switch (schema == null ? "" : schema.getName()) {
            case "EngineSample" -> ENGINE;
            case "GpuSample" -> GPU;
            case "KernelProfile" -> KERNELS;
            case "OperatorMetric" -> OPERATORS;
            default -> REQUESTS;
        };
    }

    /** The topic of that name in Kafka. */
    public static Topic ofName(String topicName) {
        for (Topic topic : values()) {
            if (topic.topicName.equals(topicName)) {
                return topic;
            }
        }
        throw new IllegalArgumentException("topic: must be one of Inferwatch's, found '" + topicName + "'");
    }
}
