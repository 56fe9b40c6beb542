package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class WarmStartIT {
    private final Instant now = Instant.now();

    @Test
    void windowsAreReadFromSoLongAgoAndAllOfThemOtherwise() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 1, (short) 1);
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int days : new int[] {6, 4, 2, 0}) {
                    var unused = producer.send(new ProducerRecord<>(
                            Topic.WINDOWS.topicName(),
                            0,
                            now.minus(Duration.ofDays(days)).toEpochMilli(),
                            new byte[0],
                            new byte[0]));
                }
            }
            assertThat(read(kafka, Optional.of(Duration.ofDays(3)))).containsExactly(2, 0);
            assertThat(read(kafka, Optional.empty())).containsExactly(6, 4, 2, 0);
        }
    }

    /** How many days old the windows are that the job reads. */
    private List<Integer> read(KafkaConnection kafka, Optional<Duration> warmFrom) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(1, JobDefaults.configuration());
        return environment
                .fromSource(
                        DetectJob.windows(kafka, warmFrom)
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        WatermarkStrategy.<InboundRecord>noWatermarks(),
                        "Windows")
                .uid("windows")
                .executeAndCollect(10)
                .stream()
                .map(record -> (int) Duration.between(Instant.ofEpochMilli(record.timestampMillis()), now)
                        .toDays())
                .toList();
    }
}
