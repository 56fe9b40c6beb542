package io.inferwatch.jobs;

import io.inferwatch.jobs.window.Hours;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * What is read to make whole hours anew. There is none of these unless Kafka holds all events and windows of the hours: in each partition that has lost records,
 * one must be left from before the hours, or everything must be kept for longer than since then.
 *
 * @param hours that are made anew
 * @param recordsByTopic how many records will be read
 */
public record KeptEvents(Hours hours, Map<Topic, Long> recordsByTopic) {
    private static final String TIMEOUT_MILLIS = "15000";

    /** How far the job that measures may be behind. */
    private static final Duration SLACK = Duration.ofMinutes(2);

    private static final long NONE = -1;

    /**
     * A topic that is read.
     *
     * @param readFrom since when records are read
     * @param neededFrom since when all of them must be there
     */
    private record Reading(Topic topic, Instant readFrom, Instant neededFrom) {
        static List<Reading> of(Hours hours) {
            Instant requests = BackfillJob.requestsFrom(hours);
            Instant samples = hours.from().minus(Windows.SAMPLE_MEMORY);
            return List.of(
                    new Reading(Topic.REQUESTS, requests, requests),
                    new Reading(Topic.ENGINE, samples, hours.from()),
                    new Reading(Topic.GPU, samples, hours.from()),
                    new Reading(Topic.KERNELS, samples, hours.from()),
                    new Reading(Topic.OPERATORS, samples, hours.from()),
                    new Reading(Topic.WINDOWS, hours.from(), hours.from()));
        }
    }

    /**
     * Asks Kafka.
     *
     * @param settings those of the job that measures
     * @throws InvalidSettingsException when events of the hours are not in Kafka any more or may still be in time for their windows, or when Kafka does not answer
     */
    static KeptEvents of(KafkaConnection kafka, Hours hours, MeasureSettings settings, Instant now)
            throws InterruptedException {
        Instant settled =
                now.minus(settings.lateness()).minus(settings.watermarkDelay()).minus(SLACK);
        if (hours.to().isAfter(settled)) {
            throw problem("--to: must be at most " + settled.truncatedTo(ChronoUnit.HOURS) + ", found " + hours.to()
                    + ": what is later may still change by itself");
        }
        Properties properties = kafka.clientProperties();
        properties.putIfAbsent("default.api.timeout.ms", TIMEOUT_MILLIS);
        properties.putIfAbsent("request.timeout.ms", TIMEOUT_MILLIS);
        try (Admin admin = Admin.create(properties)) {
            Map<Topic, Long> records = new EnumMap<>(Topic.class);
            for (Reading reading : Reading.of(hours)) {
                records.put(reading.topic, records(admin, reading, hours, now));
            }
            return new KeptEvents(hours, records);
        } catch (ExecutionException | KafkaException e) {
            throw problem("--bootstrap-servers: must be a Kafka with Inferwatch's topics, found " + kafka + ": "
                    + Objects.requireNonNullElse(e.getCause(), e).getMessage());
        }
    }

    private static long records(Admin admin, Reading reading, Hours hours, Instant now)
            throws ExecutionException, InterruptedException {
        String topic = reading.topic.topicName();
        List<TopicPartition> partitions = Objects.requireNonNull(admin.describeTopics(List.of(topic))
                        .allTopicNames()
                        .get()
                        .get(topic))
                .partitions()
                .stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        Instant keptSince = keptSince(admin, topic, now);
        var starts = offsets(admin, partitions, OffsetSpec.earliest());
        var firsts = offsets(admin, partitions, OffsetSpec.forTimestamp(0));
        var ends = offsets(admin, partitions, OffsetSpec.latest());
        var reads = offsets(admin, partitions, OffsetSpec.forTimestamp(reading.readFrom.toEpochMilli()));
        long records = 0;
        for (TopicPartition partition : partitions) {
            ListOffsetsResultInfo first = get(firsts, partition);
            Instant firstAt = first.offset() == NONE ? now : Instant.ofEpochMilli(first.timestamp());
            boolean isWhole = get(starts, partition).offset() == 0
                    || firstAt.isBefore(reading.neededFrom)
                    || !keptSince.isAfter(reading.neededFrom);
            if (!isWhole) {
                Instant wholeSince = firstAt.isBefore(keptSince) ? firstAt.plusMillis(1) : keptSince;
                Duration lead = Duration.between(reading.neededFrom, hours.from());
                throw problem("--from: must be at least " + Hours.ceiling(wholeSince.plus(lead)) + ", found "
                        + hours.from() + ": " + partition + " holds nothing from before " + firstAt
                        + " any more, so that windows would shrink");
            }
            long read = get(reads, partition).offset();
            records += read == NONE ? 0 : get(ends, partition).offset() - read;
        }
        return records;
    }

    /** Since when the topic's settings keep every record. */
    private static Instant keptSince(Admin admin, String topic, Instant now)
            throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config = Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).all().get().get(resource));
        long bytes = Long.parseLong(config.get("retention.bytes").value());
        long millis = Long.parseLong(config.get("retention.ms").value());
        if (bytes >= 0) {
            return now;
        }
        return millis < 0 ? Instant.EPOCH : now.minusMillis(Math.min(millis, now.toEpochMilli()));
    }

    private static Map<TopicPartition, ListOffsetsResultInfo> offsets(
            Admin admin, List<TopicPartition> partitions, OffsetSpec spec)
            throws ExecutionException, InterruptedException {
        return admin.listOffsets(partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec)))
                .all()
                .get();
    }

    private static ListOffsetsResultInfo get(
            Map<TopicPartition, ListOffsetsResultInfo> offsets, TopicPartition partition) {
        return Objects.requireNonNull(offsets.get(partition));
    }

    private static InvalidSettingsException problem(String problem) {
        return new InvalidSettingsException("options", List.of(problem));
    }
}
