package io.inferwatch.servers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaBrokerIT {
    @Test
    void keepsWhatItAcknowledgedThroughStopAndKill(@TempDir Path data) throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(KafkaBroker.Options.in(data).withQuickStart())) {
            String address = broker.bootstrapServers();
            broker.createTopic("t", 1, Map.of("retention.ms", "3600000"));
            broker.createTopic("t", 1, Map.of());
            send(broker, "first");

            broker.stop();
            assertThat(broker.pid()).isEmpty();
            broker.restart();
            send(broker, "after stop");

            broker.kill();
            assertThat(broker.pid()).isEmpty();
            broker.restart();
            send(broker, "after kill");

            assertThat(broker.bootstrapServers()).isEqualTo(address);
            assertThat(readAll(broker)).containsExactly("first", "after stop", "after kill");
        }
        try (KafkaBroker again = KafkaBroker.start(KafkaBroker.Options.in(data).withQuickStart())) {
            assertThat(readAll(again)).containsExactly("first", "after stop", "after kill");
        }
    }

    @Test
    void removesATemporaryDirectoryAndTheProcessAtClose() {
        KafkaBroker broker = KafkaBroker.start(
                KafkaBroker.Options.temporary().withQuickStart().withHeap("256m"));
        long pid = broker.pid().orElseThrow();
        broker.close();
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(broker.dataDirectory()).doesNotExist();
    }

    @Test
    void aFailedStartShowsTheEndOfTheLog(@TempDir Path data) {
        KafkaBroker.Options options =
                KafkaBroker.Options.in(data).withQuickStart().withSetting("num.network.threads", "-3");
        assertThatThrownBy(() -> KafkaBroker.start(options))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("Kafka broker: ended with exit status 1")
                .hasMessageContaining("Invalid value -3 for configuration num.network.threads");
    }

    @Test
    void aTakenPortIsSaidSo(@TempDir Path data) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            KafkaBroker.Options options =
                    KafkaBroker.Options.in(data).withQuickStart().withPort(taken.getLocalPort());
            assertThatThrownBy(() -> KafkaBroker.start(options))
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("port " + taken.getLocalPort() + " on loopback must be free");
        }
    }

    private static void send(KafkaBroker broker, String value) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>("t", value)).get();
        }
    }

    private static List<String> readAll(KafkaBroker broker) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition partition = new TopicPartition("t", 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = requireNonNull(consumer.endOffsets(List.of(partition)).get(partition));
            List<String> values = new ArrayList<>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
            return values;
        }
    }
}
