package io.inferwatch.probes.publish;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which a command's events reach Kafka; to be mixed in. */
public final class KafkaOptions {
    @Option(names = "--bootstrap-servers", paramLabel = "HOST:PORT,...", description = "Kafka.")
    private @Nullable String bootstrapServers;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            description = "Properties for Kafka's client, e.g. for TLS and SASL. Never printed.")
    private @Nullable Path file;

    /**
     * What they say together; servers given by their own option go before the file's.
     *
     * @throws InvalidSettingsException when no servers are given, the file cannot be read, or Kafka's client refuses a value
     */
    public KafkaSettings settings() {
        return KafkaSettings.of(bootstrapServers, file);
    }

    /**
     * The same for commands that can do without Kafka; empty when neither servers nor a file are given.
     *
     * @throws InvalidSettingsException as {@link #settings()} does
     */
    public Optional<KafkaSettings> given() {
        return bootstrapServers == null && file == null ? Optional.empty() : Optional.of(settings());
    }
}
