package io.inferwatch.local;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * What went another way than into windows, counted where it lies.
 *
 * @param late events too late for their window
 * @param deadLetters records that no job could use
 */
record KafkaCounts(long late, long deadLetters) {
    static KafkaCounts read(KafkaConnection kafka) {
        try (Admin admin = Admin.create(kafka.clientProperties())) {
            return new KafkaCounts(records(admin, Topic.LATE), records(admin, Topic.DEAD_LETTERS));
        } catch (ExecutionException e) {
            throw new IllegalStateException("Kafka at " + kafka + " does not say what it holds: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Kafka was asked", e);
        }
    }

    private static long records(Admin admin, Topic topic) throws ExecutionException, InterruptedException {
        String name = topic.topicName();
        TopicDescription description =
                admin.describeTopics(List.of(name)).allTopicNames().get().get(name);
        if (description == null) {
            return 0;
        }
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        description
                .partitions()
                .forEach(partition -> ends.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest()));
        return admin.listOffsets(ends).all().get().values().stream()
                .mapToLong(end -> end.offset())
                .sum();
    }
}
