package io.inferwatch.jobs;

import io.inferwatch.schemas.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Makes the topics that the jobs read and write, and leaves alone what is there: a topic with other settings is reported and kept, because a shorter
 * retention deletes events, and more partitions would part a replica's events. May be run again at any time.
 */
public final class KafkaTopics {
    private static final String TIMEOUT_MILLIS = "15000";

    /** What happened to a topic. */
    public enum Change {
        MADE,
        /** Only a dry run kept it from being made. */
        MISSING,
        WAS_THERE,
        /** It was there with other settings, which were kept. */
        DIFFERS
    }

    /**
     * One topic.
     *
     * @param detail its settings, or those in which it differs
     */
    public record Step(Change change, Topic topic, String detail) {}

    private final int partitions;
    private final short replication;

    private KafkaTopics(int partitions, short replication) {
        this.partitions = partitions;
        this.replication = replication;
    }

    /**
     * Creates the topics that are not there yet, all with the same number of partitions; those that are there stay as they are.
     *
     * @return the topics created
     * @throws ExecutionException when Kafka refuses or cannot be reached
     */
    public static List<Topic> create(KafkaConnection kafka, int partitions, short replication)
            throws ExecutionException, InterruptedException {
        return setUp(kafka, partitions, replication, false).stream()
                .filter(step -> step.change == Change.MADE)
                .map(Step::topic)
                .toList();
    }

    /**
     * The same, with a step for every topic.
     *
     * @param replication copies of each partition, of which all but one must have a record before it counts as written
     * @param dryRun makes nothing
     * @throws ExecutionException when Kafka refuses or cannot be reached
     */
    public static List<Step> setUp(KafkaConnection kafka, int partitions, short replication, boolean dryRun)
            throws ExecutionException, InterruptedException {
        KafkaTopics topics = new KafkaTopics(partitions, replication);
        Properties properties = kafka.clientProperties();
        properties.putIfAbsent("default.api.timeout.ms", TIMEOUT_MILLIS);
        properties.putIfAbsent("request.timeout.ms", TIMEOUT_MILLIS);
        List<Step> steps = new ArrayList<>();
        try (Admin admin = Admin.create(properties)) {
            Set<String> present = admin.listTopics().names().get();
            for (Topic topic : Topic.values()) {
                if (present.contains(topic.topicName())) {
                    steps.add(topics.compare(admin, topic));
                } else if (dryRun) {
                    steps.add(new Step(Change.MISSING, topic, topics.describe(topic)));
                } else {
                    steps.add(topics.make(admin, topic));
                }
            }
        }
        return steps;
    }

    private Step make(Admin admin, Topic topic) throws ExecutionException, InterruptedException {
        NewTopic wanted = new NewTopic(topic.topicName(), partitions, replication).configs(settings(topic));
        try {
            admin.createTopics(List.of(wanted)).all().get();
            return new Step(Change.MADE, topic, describe(topic));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                // Somebody else has made it in between.
                return compare(admin, topic);
            }
            throw e;
        }
    }

    private Step compare(Admin admin, Topic topic) throws ExecutionException, InterruptedException {
        String name = topic.topicName();
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        TopicDescription found = Objects.requireNonNull(
                admin.describeTopics(List.of(name)).allTopicNames().get().get(name));
        Config config = Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).all().get().get(resource));
        List<String> differences = new ArrayList<>();
        int foundPartitions = found.partitions().size();
        int foundReplication = found.partitions().get(0).replicas().size();
        if (foundPartitions != partitions) {
            differences.add("partitions " + partitions + ", found " + foundPartitions);
        }
        if (foundReplication != replication) {
            differences.add("replication " + replication + ", found " + foundReplication);
        }
        settings(topic).forEach((key, value) -> {
            ConfigEntry entry = config.get(key);
            if (entry == null || !value.equals(entry.value())) {
                differences.add(key + "=" + value + ", found " + (entry == null ? "nothing" : entry.value()));
            }
        });
        return differences.isEmpty()
                ? new Step(Change.WAS_THERE, topic, "")
                : new Step(Change.DIFFERS, topic, String.join("; ", differences));
    }

    private Map<String, String> settings(Topic topic) {
        Map<String, String> settings = new TreeMap<>(topic.kafkaSettings());
        settings.put("min.insync.replicas", Integer.toString(Math.max(1, replication - 1)));
        return settings;
    }

    private String describe(Topic topic) {
        List<String> parts = new ArrayList<>(List.of("partitions " + partitions, "replication " + replication));
        settings(topic).forEach((key, value) -> parts.add(key + "=" + value));
        return String.join(", ", parts);
    }
}
