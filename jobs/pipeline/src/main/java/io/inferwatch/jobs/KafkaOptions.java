package io.inferwatch.jobs;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which jobs and their set-up name their Kafka; to be mixed in. */
public final class KafkaOptions {
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
    private @Nullable Path configuration;

    /** The brokers. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** The file with further settings. */
    public @Nullable Path configuration() {
        return configuration;
    }

    /**
     * The connection that the options describe.
     *
     * @throws InvalidSettingsException when the file cannot be read
     */
    public KafkaConnection connection() {
        Map<String, String> properties = new HashMap<>();
        if (configuration != null) {
            Properties read = new Properties();
            try (Reader reader = Files.newBufferedReader(configuration)) {
                read.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new InvalidSettingsException(
                        "--kafka-config " + configuration, List.of("must be a readable properties file, found " + e));
            }
            read.stringPropertyNames()
                    .forEach(name -> properties.put(name, read.getProperty(name).trim()));
        }
        return new KafkaConnection(bootstrapServers, properties);
    }
}
