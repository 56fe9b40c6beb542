package io.inferwatch.jobs;

import io.inferwatch.schemas.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics that the jobs read and write. */
public final class KafkaTopics {
    private KafkaTopics() {}

    /**
     * Creates the topics that are not there yet, all with the same number of partitions; those that are there stay as they are.
     *
     * @return the topics created
     * @throws ExecutionException when Kafka refuses or cannot be reached
     */
    public static List<Topic> create(KafkaConnection kafka, int partitions, short replication)
            throws ExecutionException, InterruptedException {
        List<Topic> created = new ArrayList<>();
        try (Admin admin = Admin.create(kafka.clientProperties())) {
            Set<String> present = admin.listTopics().names().get();
            for (Topic topic : Topic.values()) {
                if (present.contains(topic.topicName())) {
                    continue;
                }
                NewTopic wanted =
                        new NewTopic(topic.topicName(), partitions, replication).configs(topic.kafkaSettings());
                try {
                    admin.createTopics(List.of(wanted)).all().get();
                    created.add(topic);
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw e;
                    }
                }
            }
        }
        return created;
    }
}
