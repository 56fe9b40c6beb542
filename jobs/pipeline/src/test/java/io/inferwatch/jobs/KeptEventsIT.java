package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.jobs.window.Hours;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.servers.KafkaBroker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KeptEventsIT {
    private static final TopicPartition REQUESTS = new TopicPartition(Topic.REQUESTS.topicName(), 0);
    private final Instant now = Instant.now();
    private final Instant from = now.truncatedTo(ChronoUnit.HOURS).minus(3, ChronoUnit.HOURS);
    private final Hours hours = new Hours(from, from.plus(1, ChronoUnit.HOURS));

    @Test
    void hoursAreWholeWhileSomethingFromBeforeThemIsLeftOrAllIsKeptForLonger() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            assertThatThrownBy(() -> kept(kafka))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining(
                            "--bootstrap-servers: must be a Kafka with Inferwatch's topics, found " + kafka);

            // Stamped by the test, not by the broker.
            broker.createTopic(
                    REQUESTS.topic(), 1, Map.of("message.timestamp.type", "CreateTime", "retention.ms", "3600000"));
            KafkaTopics.create(kafka, 1, (short) 1);
            send(kafka, from.minus(Duration.ofMinutes(20)));
            send(kafka, from.minus(Duration.ofMinutes(10)));
            send(kafka, from.plus(Duration.ofMinutes(1)));
            send(kafka, from.plus(Duration.ofMinutes(100)));
            // Five minutes before the hours reading begins.
            assertThat(kept(kafka).recordsByTopic())
                    .containsEntry(Topic.REQUESTS, 2L)
                    .containsEntry(Topic.GPU, 0L);

            deleteBefore(admin, 1);
            assertThat(kept(kafka).recordsByTopic()).containsEntry(Topic.REQUESTS, 2L);

            deleteBefore(admin, 2);
            assertThatThrownBy(() -> kept(kafka))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("--from: must be at least " + hours.to() + ", found " + from
                            + ": inferwatch.requests-0 holds nothing from before "
                            + from.plus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.MILLIS));

            alter(admin, "retention.ms", Long.toString(Duration.ofDays(7).toMillis()));
            assertThat(kept(kafka).recordsByTopic()).containsEntry(Topic.REQUESTS, 2L);
            alter(admin, "retention.bytes", "1000000");
            assertThatThrownBy(() -> kept(kafka)).hasMessageContaining("--from: must be at least ");
        }
    }

    @Test
    void hoursThatMayStillChangeByThemselvesAreRefused() {
        Instant oneMinuteTooSoon = hours.to().plus(Duration.ofMinutes(11));
        assertThatThrownBy(() -> KeptEvents.of(
                        KafkaConnection.to("localhost:1"), hours, MeasureSettings.byDefault(), oneMinuteTooSoon))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("--to: must be at most " + from + ", found " + hours.to());
    }

    private KeptEvents kept(KafkaConnection kafka) throws InterruptedException {
        return KeptEvents.of(kafka, hours, MeasureSettings.byDefault(), now);
    }

    private static void send(KafkaConnection kafka, Instant at) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            var unused = producer.send(
                    new ProducerRecord<>(REQUESTS.topic(), 0, at.toEpochMilli(), new byte[0], new byte[0]));
        }
    }

    private static void deleteBefore(Admin admin, long offset) throws Exception {
        admin.deleteRecords(Map.of(REQUESTS, RecordsToDelete.beforeOffset(offset)))
                .all()
                .get();
    }

    private static void alter(Admin admin, String key, String value) throws Exception {
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, REQUESTS.topic()),
                        List.of(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}
