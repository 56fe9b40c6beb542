package io.inferwatch.probes.publish;

import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * How to reach Kafka: servers and any client property from a file. Values of properties whose name says password, secret, key, token,
 * credential or jaas are never printed, neither here nor in a message.
 */
public final class KafkaSettings {
    /** Until a delivery is given up and the event goes to the spool. */
    static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(5);

    private static final Pattern SECRET = Pattern.compile("password|secret|key|token|credential|jaas|certificate");

    /** What the publisher's promises rest on. */
    private static final Map<String, String> FIXED = Map.of(
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            "true",
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class.getName(),
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ByteArraySerializer.class.getName());

    /** What a file may change. The sender thread waits at most max.block.ms for metadata; no caller ever does. */
    private static final Map<String, String> DEFAULTS = Map.of(
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            "lz4",
            ProducerConfig.LINGER_MS_CONFIG,
            "20",
            ProducerConfig.BATCH_SIZE_CONFIG,
            Integer.toString(128 << 10),
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            "500",
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            "3000",
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            Long.toString(DELIVERY_TIMEOUT.toMillis()),
            ProducerConfig.CLIENT_ID_CONFIG,
            "inferwatch");

    private static final Map<String, String> KEEPING_ORDER = Map.of(
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            "30000",
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            Long.toString(Duration.ofMinutes(10).toMillis()));

    private final String source;
    private final Map<String, String> properties;

    private KafkaSettings(String source, Map<String, String> properties) {
        this.source = source;
        this.properties = properties;
    }

    /** Only the servers, everything else as it comes. */
    public static KafkaSettings of(String bootstrapServers) {
        return of(bootstrapServers, null);
    }

    /**
     * Servers and the properties of a file; servers given here go before the file's.
     *
     * @param bootstrapServers {@code host:port,host:port}, or null when the file has them
     * @param file a properties file in UTF-8, or null
     * @throws InvalidSettingsException when the file cannot be read, or Kafka's client refuses a value
     */
    public static KafkaSettings of(@Nullable String bootstrapServers, @Nullable Path file) {
        String source = file == null ? "Kafka" : file.toString();
        Map<String, String> properties = new TreeMap<>(DEFAULTS);
        List<String> problems = new ArrayList<>();
        if (file != null) {
            Properties read = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                read.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new InvalidSettingsException(
                        source,
                        List.of("must be a readable properties file in UTF-8, found "
                                + e.getClass().getSimpleName()));
            }
            for (String name : read.stringPropertyNames()) {
                properties.put(name, read.getProperty(name).trim());
            }
        }
        if (bootstrapServers != null) {
            properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        }
        if (!properties.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            problems.add("bootstrap.servers: must be given, e.g. localhost:9092");
        }
        FIXED.forEach((name, value) -> {
            String found = properties.put(name, value);
            if (found != null && !found.equals(value)) {
                problems.add(name + ": must be " + value + ", found " + found);
            }
        });
        KafkaSettings settings = new KafkaSettings(source, properties);
        if (problems.isEmpty()) {
            try {
                new ProducerConfig(settings.producer());
            } catch (ConfigException e) {
                problems.add(settings.masked(String.valueOf(e.getMessage())));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(source, problems);
        }
        return settings;
    }

    /**
     * The same, but a record that Kafka is slow to take is waited for, and what follows it with it, instead of being sent once more after them: for replays, where event time may run so
     * much faster than the clock that a record out of its order comes too late for its window. What a file sets stays.
     */
    public KafkaSettings keepingOrder() {
        Map<String, String> patient = new TreeMap<>(properties);
        KEEPING_ORDER.forEach((name, value) -> {
            if (Objects.equals(patient.get(name), DEFAULTS.get(name))) {
                patient.put(name, value);
            }
        });
        return new KafkaSettings(source, patient);
    }

    /** The servers to begin with. */
    public String bootstrapServers() {
        return properties.getOrDefault(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "");
    }

    /**
     * Returns when Kafka answers and has the topic, for commands that make no sense without.
     *
     * @throws UnreachableKafkaException when that is not so within the timeout
     */
    public void requireTopic(Topic topic, Duration timeout) {
        Map<String, Object> config = of(AdminClientConfig.configNames());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        try (Admin admin = Admin.create(config)) {
            try {
                admin.describeTopics(List.of(topic.topicName()))
                        .allTopicNames()
                        .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            } finally {
                admin.close(Duration.ZERO);
            }
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof UnknownTopicOrPartitionException) {
                throw new UnreachableKafkaException("Kafka at " + bootstrapServers() + ": topic '" + topic.topicName()
                        + "' must exist, found none; make it with settings " + topic.kafkaSettings());
            }
            throw unreachable(timeout, cause);
        } catch (TimeoutException | KafkaException e) {
            throw unreachable(timeout, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreachableKafkaException(
                    "Kafka at " + bootstrapServers() + ": interrupted while waiting for it");
        }
    }

    /** Configuration of a consumer that is in no group, secrets included. */
    Map<String, Object> consumer() {
        Map<String, Object> config = of(ConsumerConfig.configNames());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.remove(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        return config;
    }

    /** What another client than the producer knows of the properties. */
    private Map<String, Object> of(Set<String> known) {
        Map<String, Object> config = new HashMap<>(properties);
        config.keySet().retainAll(known);
        properties.forEach((name, value) -> {
            // Properties of plug-ins, which Kafka itself does not know.
            if (!ProducerConfig.configNames().contains(name)) {
                config.put(name, value);
            }
        });
        return config;
    }

    /** Configuration of a producer, secrets included. */
    Map<String, Object> producer() {
        return new HashMap<>(properties);
    }

    /** The text without the values of secret properties. */
    String masked(String text) {
        String masked = text;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (isSecret(property.getKey()) && !property.getValue().isEmpty()) {
                masked = masked.replace(property.getValue(), "***");
            }
        }
        return masked;
    }

    /** The properties, secrets as {@code ***}. */
    @Override
    public String toString() {
        Map<String, String> shown = new TreeMap<>(properties);
        shown.replaceAll((name, value) -> isSecret(name) ? "***" : value);
        return source + " " + shown;
    }

    private static boolean isSecret(String name) {
        return SECRET.matcher(name.toLowerCase(Locale.ROOT)).find() && !name.endsWith(".serializer");
    }

    private UnreachableKafkaException unreachable(Duration timeout, Throwable cause) {
        String reason = cause instanceof TimeoutException
                        || cause instanceof org.apache.kafka.common.errors.TimeoutException
                ? "no answer within " + timeout.toSeconds() + " s"
                : masked(String.valueOf(cause.getMessage())).lines().findFirst().orElse("no answer");
        return new UnreachableKafkaException(
                "Kafka at " + bootstrapServers() + ": must be reachable, found: " + reason);
    }
}
