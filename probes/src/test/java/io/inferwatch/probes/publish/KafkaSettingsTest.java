package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaSettingsTest {
    @TempDir
    private Path directory;

    @Test
    void theProducerIsIdempotentCompressedAndFullyAcknowledged() {
        assertThat(KafkaSettings.of("localhost:9092").producer())
                .containsEntry("bootstrap.servers", "localhost:9092")
                .containsEntry("enable.idempotence", "true")
                .containsEntry("acks", "all")
                .containsEntry("compression.type", "lz4")
                .containsEntry("max.block.ms", "500");
    }

    @Test
    void aFileMayGiveAnyPropertyAndServersGivenHereGoFirst() throws IOException {
        Path file = file("""
                bootstrap.servers = other:9092
                security.protocol = SASL_SSL
                sasl.mechanism = PLAIN
                compression.type = zstd
                plugin.own.setting = 1
                """);
        assertThat(KafkaSettings.of("localhost:9092", file).producer())
                .containsEntry("bootstrap.servers", "localhost:9092")
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("compression.type", "zstd")
                .containsEntry("plugin.own.setting", "1");
        assertThat(KafkaSettings.of(null, file).bootstrapServers()).isEqualTo("other:9092");
    }

    @Test
    void serversMustBeGivenSomewhere() {
        assertThatThrownBy(() -> KafkaSettings.of(null, null))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("bootstrap.servers: must be given");
    }

    @Test
    void whatThePromisesRestOnCannotBeChanged() throws IOException {
        Path file = file("acks = 1\nenable.idempotence = false\n");
        assertThatThrownBy(() -> KafkaSettings.of("localhost:9092", file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("acks: must be all, found 1")
                .hasMessageContaining("enable.idempotence: must be true, found false");
    }

    @Test
    void aValueThatKafkaRefusesIsAnErrorAtOnce() throws IOException {
        Path file = file("linger.ms = soon\n");
        assertThatThrownBy(() -> KafkaSettings.of("localhost:9092", file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("linger.ms")
                .hasMessageContaining("soon");
    }

    @Test
    void aMissingFileIsAnError() {
        assertThatThrownBy(() -> KafkaSettings.of("localhost:9092", directory.resolve("none")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("must be a readable properties file");
    }

    @Test
    void secretsAreNeverShown() throws IOException {
        Path file = file("""
                sasl.jaas.config = PlainLoginModule required password="hunter2";
                ssl.keystore.password = geheim
                ssl.key.password = geheim2
                """);
        KafkaSettings settings = KafkaSettings.of("localhost:9092", file);
        assertThat(settings.toString()).contains("localhost:9092").doesNotContain("hunter2", "geheim");
        assertThat(settings.masked("bad value geheim in ssl.keystore.password")).doesNotContain("geheim");
        assertThat(settings.masked("login with PlainLoginModule required password=\"hunter2\"; failed"))
                .doesNotContain("hunter2");
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("kafka.properties"), text);
    }

    @Test
    void keepingOrderMeansWaitingAndLeavesWhatAFileSets(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("kafka.properties"), "request.timeout.ms=2000\n");
        assertThat(KafkaSettings.of("h:1").keepingOrder().producer())
                .containsEntry("delivery.timeout.ms", "600000")
                .containsEntry("request.timeout.ms", "30000");
        assertThat(KafkaSettings.of("h:1", file).keepingOrder().producer())
                .containsEntry("delivery.timeout.ms", "600000")
                .containsEntry("request.timeout.ms", "2000");
    }
}
