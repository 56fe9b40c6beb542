package io.inferwatch.local;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.notifier.RunningNotifier;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.slo.SloFile;
import io.inferwatch.schemas.slo.SloSpec;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What is promised of a local run, and who hears of its alerts.
 *
 * @param promises given to the jobs before they start
 * @param alertmanager empty where nobody is told
 */
record Alerting(List<SloFile> promises, Optional<URI> alertmanager) {
    /** Nothing and nobody. */
    static final Alerting NONE = new Alerting(List.of(), Optional.empty());

    private static final Duration RESEND = Duration.ofSeconds(60);

    Alerting {
        promises = List.copyOf(promises);
    }

    /** Sends what is promised to the topic of settings. */
    void promise(KafkaConnection kafka) {
        if (promises.isEmpty()) {
            return;
        }
        EventCodec codec = new EventCodec();
        long nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            promises.forEach(file -> file.bodies().forEach((name, body) -> {
                String key = SloSpec.KIND + "/" + name;
                var unused = producer.send(new ProducerRecord<>(
                        Topic.CONFIG.topicName(),
                        key.getBytes(StandardCharsets.UTF_8),
                        codec.encode(new Setting(SloSpec.KIND, name, nowMicros, body))));
            }));
            producer.flush();
        }
    }

    /** Begins to tell of alerts, with links to that page. */
    Optional<RunningNotifier> tell(KafkaConnection kafka, String page) {
        return alertmanager.map(
                target -> RunningNotifier.start(kafka.bootstrapServers(), target, RESEND, URI.create(page)));
    }
}
