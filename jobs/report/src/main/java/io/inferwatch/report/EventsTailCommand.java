package io.inferwatch.report;

import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.Settings;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch events tail}: decoded records of one of our topics as JSON lines. Reads beside all others and commits nothing. */
@Command(
        name = "tail",
        description = "Prints the events of a topic as JSON lines: the last ones by time, or with --since all from then"
                + " on. What cannot be decoded is shown as such.",
        mixinStandardHelpOptions = true)
public final class EventsTailCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;
    private static final int DEFAULT_LAST = 10;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final String PREFIX = "inferwatch.";

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Topic, such as inferwatch.windows or just windows.")
    private String topicName = "";

    @Option(names = "--key", paramLabel = "KEY", description = "Only records with this key.")
    private @Nullable String key;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "From this time on: an instant such as 2026-11-30T12:00:00Z, or -30m.")
    private @Nullable String since;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most so many records. Default: " + DEFAULT_LAST + "; with --since or --follow no limit")
    private @Nullable Integer limit;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with new records until interrupted.")
    private boolean follow;

    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public EventsTailCommand() {
        this(InstantSource.system());
    }

    EventsTailCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            Topic topic = topic(topicName);
            if (limit != null && limit < 1) {
                throw new InvalidRequestException("--limit: must be at least 1, found " + limit);
            }
            Long sinceMillis = since == null
                    ? null
                    : TimeText.parse("--since", since, clock.instant()).toEpochMilli();
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                    kafka.consumerProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                List<TopicPartition> partitions = partitions(consumer, topic, kafka);
                consumer.assign(partitions);
                Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
                if (sinceMillis == null) {
                    printLast(consumer, ends, out);
                } else {
                    seek(consumer, ends, sinceMillis);
                    print(consumer, follow ? Map.of() : ends, limit == null ? Long.MAX_VALUE : limit, out);
                }
            }
            return OK;
        } catch (InvalidRequestException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        } catch (KafkaException e) {
            err.println(unanswered(kafka, e));
            return BAD_INPUT;
        } finally {
            out.flush();
            err.flush();
        }
    }

    /** The last records by time over all partitions; then, if wanted, those that follow. */
    private void printLast(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, PrintWriter out) {
        int last = limit == null ? DEFAULT_LAST : limit;
        Map<TopicPartition, Long> begins = consumer.beginningOffsets(ends.keySet());
        ends.forEach((partition, end) -> {
            long begin = begins.getOrDefault(partition, 0L);
            // The last records of a key may lie anywhere.
            consumer.seek(partition, key == null ? Math.max(begin, end - last) : begin);
        });
        Comparator<ConsumerRecord<byte[], byte[]>> byTime = Comparator.<ConsumerRecord<byte[], byte[]>>comparingLong(
                        ConsumerRecord::timestamp)
                .thenComparingInt(ConsumerRecord::partition)
                .thenComparingLong(ConsumerRecord::offset);
        PriorityQueue<ConsumerRecord<byte[], byte[]>> latest = new PriorityQueue<>(byTime);
        while (!reached(consumer, ends)) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (isWanted(record) && isBefore(record, ends)) {
                    latest.add(record);
                    if (latest.size() > last) {
                        latest.remove();
                    }
                }
            }
        }
        EventJson json = new EventJson();
        ConsumerRecord<byte[], byte[]> next = latest.poll();
        while (next != null) {
            out.println(json.line(next));
            next = latest.poll();
        }
        out.flush();
        if (follow) {
            ends.forEach(consumer::seek);
            print(consumer, Map.of(), Long.MAX_VALUE, out);
        }
    }

    /** Records from where the consumer stands up to the ends, or for ever when there are none. */
    private void print(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, long atMost, PrintWriter out) {
        EventJson json = new EventJson();
        long printed = 0;
        while (printed < atMost && (ends.isEmpty() || !reached(consumer, ends))) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (printed < atMost && isWanted(record) && (ends.isEmpty() || isBefore(record, ends))) {
                    out.println(json.line(record));
                    printed++;
                }
            }
            out.flush();
            if (out.checkError()) {
                // Nobody reads on: 'inferwatch events tail ... | head'.
                return;
            }
        }
    }

    private static void seek(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, long sinceMillis) {
        Map<TopicPartition, Long> times = new HashMap<>();
        ends.keySet().forEach(partition -> times.put(partition, sinceMillis));
        Map<TopicPartition, OffsetAndTimestamp> offsets = consumer.offsetsForTimes(times);
        ends.forEach((partition, end) -> {
            OffsetAndTimestamp offset = offsets.get(partition);
            consumer.seek(partition, offset == null ? end : offset.offset());
        });
    }

    private static boolean reached(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private static boolean isBefore(ConsumerRecord<byte[], byte[]> record, Map<TopicPartition, Long> ends) {
        return record.offset()
                < ends.getOrDefault(new TopicPartition(record.topic(), record.partition()), Long.MAX_VALUE);
    }

    private boolean isWanted(ConsumerRecord<byte[], byte[]> record) {
        return key == null || (record.key() != null && key.equals(new String(record.key(), StandardCharsets.UTF_8)));
    }

    /** The topic's partitions, which must be there. */
    static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, Topic topic, KafkaOptions kafka) {
        List<PartitionInfo> found = consumer.partitionsFor(topic.topicName());
        if (found == null || found.isEmpty()) {
            throw new InvalidRequestException(
                    "topic " + topic.topicName() + ": does not exist at " + kafka.bootstrapServers());
        }
        List<TopicPartition> partitions = new ArrayList<>();
        found.forEach(info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
        return partitions;
    }

    private static Topic topic(String name) {
        List<String> known = new ArrayList<>();
        for (Topic topic : Topic.values()) {
            if (topic.topicName().equals(name) || topic.topicName().equals(PREFIX + name)) {
                return topic;
            }
            known.add(topic.topicName());
        }
        String full = name.startsWith(PREFIX) ? name : PREFIX + name;
        throw new InvalidRequestException("TOPIC: must be one of " + String.join(", ", known) + ", found '" + name + "'"
                + Settings.nearest(full, known));
    }

    /** Says that Kafka did not answer. */
    static String unanswered(KafkaOptions kafka, KafkaException e) {
        return "Kafka at " + kafka.bootstrapServers() + " does not answer: " + rootMessage(e);
    }

    private static String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }
}
