package io.inferwatch.jobs;

import java.io.Serializable;
import java.util.Map;
import java.util.Properties;

/**
 * How the jobs reach Kafka.
 *
 * @param bootstrapServers host:port, several separated by commas
 * @param properties further client properties, e.g. for TLS and SASL; never printed, since they may hold secrets
 */
public record KafkaConnection(String bootstrapServers, Map<String, String> properties) implements Serializable {
    private static final long serialVersionUID = 1;

    /** A connection with unmodifiable properties. */
    public KafkaConnection {
        properties = Map.copyOf(properties);
    }

    /** A connection without further properties. */
    public static KafkaConnection to(String bootstrapServers) {
        return new KafkaConnection(bootstrapServers, Map.of());
    }

    /** The client properties, as Kafka's clients take them. */
    public Properties clientProperties() {
        Properties all = new Properties();
        all.putAll(properties);
        all.put("bootstrap.servers", bootstrapServers);
        return all;
    }

    @Override
    public String toString() {
        return bootstrapServers;
    }
}
