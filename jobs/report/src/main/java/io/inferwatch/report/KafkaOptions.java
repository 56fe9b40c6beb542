package io.inferwatch.report;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which a command reaches Kafka; to be mixed in. */
final class KafkaOptions {
    /** How long a command waits for an answer. */
    static final String PATIENCE_MILLIS = "10000";

    @Option(
            names = "--bootstrap-servers",
            paramLabel = "HOST:PORT,...",
            description = "Kafka brokers. Default: ${DEFAULT-VALUE}",
            defaultValue = "localhost:9092")
    private String bootstrapServers = "localhost:9092";

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Properties file with further settings of the Kafka client, such as TLS and SASL")
    private @Nullable Path file;

    String bootstrapServers() {
        return bootstrapServers;
    }

    /**
     * Settings for a Kafka client.
     *
     * @throws InvalidRequestException when the file cannot be read
     */
    Properties properties() {
        Properties properties = new Properties();
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new InvalidRequestException("--kafka-config: must be a readable properties file, found " + file
                        + ": " + e.getClass().getSimpleName());
            }
        }
        properties.put("bootstrap.servers", bootstrapServers);
        return properties;
    }

    /** Settings for a consumer that reads beside all others and commits nothing. */
    Properties consumerProperties() {
        Properties properties = properties();
        properties.put("enable.auto.commit", "false");
        properties.put("auto.offset.reset", "earliest");
        properties.put("allow.auto.create.topics", "false");
        properties.putIfAbsent("default.api.timeout.ms", PATIENCE_MILLIS);
        properties.putIfAbsent("request.timeout.ms", PATIENCE_MILLIS);
        return properties;
    }
}
