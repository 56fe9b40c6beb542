package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The publisher against a real broker that comes late, is killed, and comes back. */
class KafkaPublisherIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger INSTANCES = new AtomicInteger();
    private static final List<String> REPLICAS =
            List.of("replica-0", "replica-1", "replica-2", "replica-3", "replica-4");

    @TempDir
    private Path directory;

    private static KafkaBroker broker;

    /** One for each test, so that its events are told apart in the topic that all share. */
    private final String instance = "probe-%02d".formatted(INSTANCES.incrementAndGet());

    @BeforeAll
    static void startBroker() {
        broker = KafkaBroker.start();
        RequestsTopic.create(broker);
    }

    @AfterAll
    static void closeBroker() {
        broker.close();
    }

    @BeforeEach
    void requireBroker() {
        if (broker.pid().isEmpty()) {
            broker.restart();
        }
    }

    @Test
    void eventsArriveOnceInOrderNumberedFromZeroAndKeyedByReplica() {
        try (KafkaPublisher publisher = new KafkaPublisher(settings())) {
            publish(publisher, 0, 10_000);
            assertThat(publisher.flush(PATIENCE)).isTrue();
            PublisherCounters counters = publisher.counters();
            assertThat(counters.published()).isEqualTo(10_000);
            assertThat(counters.acknowledged()).isEqualTo(10_000);
            assertThat(counters.droppedTotal()).isZero();
            assertThat(counters.inMemory()).isZero();
            assertThat(publisher.settledBelow("replica-0")).isEqualTo(2_000);
        }
        RequestsTopic topic = RequestsTopic.read(broker, instance);
        assertThat(topic.events()).hasSize(10_000);
        for (String replica : REPLICAS) {
            assertThat(topic.sequences(instance + "/" + replica)).isEqualTo(numbers(0, 2_000));
        }
        for (RequestEvent event : topic.events()) {
            assertThat(event.getRow())
                    .isEqualTo(event.getSequence() * REPLICAS.size() + REPLICAS.indexOf(event.getReplica()));
        }
    }

    @Test
    void heartbeatsTellTheNextNumberAndTakeNone() {
        try (KafkaPublisher publisher = new KafkaPublisher(new PublisherSettings(
                instance,
                KafkaSettings.of(broker.bootstrapServers()),
                Optional.empty(),
                1_000,
                1 << 20,
                Duration.ofMillis(100)))) {
            publisher.publish(Events.of("replica-0", 1));
            publisher.publish(Events.of("replica-0", 2));
            publisher.heartbeat(state("replica-0", 77L));
            publisher.publish(Events.of("replica-0", 3));
            publisher.heartbeats(() -> List.of(state("replica-0", null), state("replica-1", null)));
            await().atMost(PATIENCE).until(() -> publisher.counters().heartbeatsSent() >= 9);
            assertThat(publisher.flush(PATIENCE)).isTrue();
        }
        RequestsTopic topic = RequestsTopic.read(broker, instance);
        assertThat(topic.sequences(instance + "/replica-0")).containsExactly(0L, 1L, 2L);
        List<Heartbeat> ofReplica = topic.heartbeats().stream()
                .filter(heartbeat -> heartbeat.getReplica().equals("replica-0"))
                .toList();
        assertThat(ofReplica.get(0).getNextSequence()).isEqualTo(2);
        assertThat(ofReplica.get(0).getEventTimeMicros()).isEqualTo(77);
        assertThat(ofReplica.get(1).getNextSequence()).isEqualTo(3);
        assertThat(ofReplica.get(1).getEventTimeMicros())
                .isEqualTo(ofReplica.get(1).getEmittedAtMicros());
        assertThat(ofReplica.get(1).getIntervalMicros()).isEqualTo(100_000);
        assertThat(topic.heartbeats())
                .filteredOn(heartbeat -> heartbeat.getReplica().equals("replica-1"))
                .isNotEmpty()
                .allSatisfy(heartbeat -> assertThat(heartbeat.getNextSequence()).isZero());
    }

    @Test
    void withoutABrokerAtTheStartEventsAreSpooledAndArriveInOrderOnceItComes() {
        broker.stop();
        try (KafkaPublisher publisher = new KafkaPublisher(settings().withSpool(spool(64 << 20)))) {
            publish(publisher, 0, 5_000);
            await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == 5_000);
            assertThat(publisher.counters().inMemory()).isZero();
            broker.restart();
            await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == 0);
            PublisherCounters counters = publisher.counters();
            assertThat(counters.spooled()).isEqualTo(5_000);
            assertThat(counters.drained()).isEqualTo(5_000);
            assertThat(counters.acknowledged()).isEqualTo(5_000);
            await().atMost(PATIENCE).until(() -> spoolFiles() == 0);
        }
        assertThat(RequestsTopic.read(broker, instance).distinctSequences()).isEqualTo(inOrder(instance, 1_000));
    }

    @Test
    void newEventsDoNotWaitForTheSpoolToDrain() {
        broker.stop();
        try (KafkaPublisher publisher = new KafkaPublisher(settings().withSpool(spool(256 << 20)))) {
            for (int i = 0; i < 3; i++) {
                int already = i * 20_000;
                publish(publisher, already, already + 20_000);
                await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == already + 20_000);
            }
            broker.restart();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> publisher.counters().drained() > 0);
            publish(publisher, 60_000, 60_005);
            await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == 0);
            assertThat(publisher.flush(PATIENCE)).isTrue();
        }
        RequestsTopic topic = RequestsTopic.read(broker, instance);
        for (String replica : REPLICAS) {
            List<Long> sequences = topic.distinctSequences().getOrDefault(instance + "/" + replica, List.of());
            assertThat(sequences).hasSize(12_001);
            assertThat(sequences.indexOf(12_000L))
                    .as("the new event of %s overtook spooled ones", replica)
                    .isLessThan(12_000);
            List<Long> spooled = new ArrayList<>(sequences);
            spooled.remove(12_000L);
            assertThat(spooled).as("spooled events keep their order").isEqualTo(numbers(0, 12_000));
        }
    }

    @Test
    void aKilledBrokerCostsNothingAndDoublesNothingWithASpool() {
        killBrokerInTheMiddle(settings().withSpool(spool(64 << 20)));
    }

    @Test
    void aKilledBrokerCostsNothingAndDoublesNothingInMemory() {
        killBrokerInTheMiddle(settings());
    }

    private void killBrokerInTheMiddle(PublisherSettings settings) {
        try (KafkaPublisher publisher = new KafkaPublisher(settings)) {
            publish(publisher, 0, 20_000);
            await().atMost(PATIENCE).until(() -> publisher.counters().acknowledged() > 1_000);
            broker.kill();
            publish(publisher, 20_000, 40_000);
            broker.restart();
            publish(publisher, 40_000, 60_000);
            await().atMost(PATIENCE).until(() -> publisher.counters().acknowledged() == 60_000);
            PublisherCounters counters = publisher.counters();
            assertThat(counters.droppedTotal()).isZero();
            assertThat(counters.inMemory()).isZero();
            assertThat(counters.inSpool()).isZero();
            for (String replica : REPLICAS) {
                assertThat(publisher.settledBelow(replica)).isEqualTo(12_000);
            }
        }
        RequestsTopic topic = RequestsTopic.read(broker, instance);
        assertThat(topic.distinctEvents()).hasSize(60_000);
        for (String replica : REPLICAS) {
            assertThat(topic.distinctSequences().getOrDefault(instance + "/" + replica, List.of()))
                    .containsExactlyInAnyOrderElementsOf(numbers(0, 12_000));
        }
    }

    @Test
    void aFullSpoolDropsWhatComesAndCountsIt() {
        broker.stop();
        try (KafkaPublisher publisher = new KafkaPublisher(settings().withSpool(spool(64 << 10)))) {
            publish(publisher, 0, 5_000);
            await().atMost(PATIENCE)
                    .until(() -> publisher.counters().inSpool() > 0
                            && publisher.counters().inMemory() == 0);
            PublisherCounters full = publisher.counters();
            assertThat(full.dropped()).containsOnlyKeys(DropReason.SPOOL_FULL);
            assertThat(full.inSpool() + full.droppedTotal()).isEqualTo(5_000);
            assertThat(full.spoolBytes()).isLessThanOrEqualTo(64 << 10);
            broker.restart();
            await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == 0);
            PublisherCounters after = publisher.counters();
            assertThat(after.acknowledged() + after.droppedTotal()).isEqualTo(5_000);
        }
        // What was kept is the beginning, without a hole.
        RequestsTopic.read(broker, instance).distinctSequences().forEach((stream, sequences) -> assertThat(sequences)
                .isEqualTo(numbers(0, sequences.size())));
    }

    @Test
    void aCallerIsNeverHeldUpWhileTheBrokerIsAway() {
        broker.stop();
        try (KafkaPublisher publisher = new KafkaPublisher(settings().withMemory(1_000, 1 << 20))) {
            long begin = System.nanoTime();
            for (int i = 0; i < 10_000; i++) {
                publisher.publish(Events.of("replica-0", i));
            }
            // A caller that waited for metadata would take half a second for each event: more than an hour together.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
            PublisherCounters counters = publisher.counters();
            assertThat(counters.published()).isEqualTo(10_000);
            assertThat(counters.inMemory()).isEqualTo(1_000);
            assertThat(counters.dropped()).isEqualTo(Map.of(DropReason.MEMORY_FULL, 9_000L));
            broker.restart();
            assertThat(publisher.flush(PATIENCE)).isTrue();
        }
        assertThat(RequestsTopic.read(broker, instance).distinctSequences())
                .as("what memory held arrives")
                .isEqualTo(Map.of(instance + "/replica-0", numbers(0, 1_000)));
    }

    @Test
    void anEventThatKafkaWillNeverTakeIsCountedAndHoldsUpNoOther() {
        try (KafkaPublisher publisher = new KafkaPublisher(settings())) {
            RequestEvent huge = Events.of("replica-0", 1);
            huge.setErrorType("x".repeat(3 << 20));
            publisher.publish(Events.of("replica-0", 0));
            publisher.publish(huge);
            publisher.publish(Events.of("replica-0", 2));
            RequestEvent incomplete = Events.of("replica-0", 3);
            incomplete.setOutcome(null);
            assertThat(publisher.publish(incomplete)).isFalse();
            publisher.publish(Events.of("replica-0", 4));
            assertThat(publisher.flush(PATIENCE)).isTrue();
            assertThat(publisher.counters().dropped())
                    .isEqualTo(Map.of(DropReason.REFUSED, 1L, DropReason.INCOMPLETE, 1L));
            assertThat(publisher.settledBelow("replica-0")).isEqualTo(5);
        }
        assertThat(RequestsTopic.read(broker, instance).sequences(instance + "/replica-0"))
                .as("the holes are visible")
                .containsExactly(0L, 2L, 4L);
    }

    @Test
    void closingWithoutABrokerLeavesEventsInTheSpoolForTheNextProcess() throws Exception {
        broker.createTopic(Topic.OPERATORS.topicName(), 1, Topic.OPERATORS.kafkaSettings());
        OperatorMetric metric = OperatorMetric.newBuilder()
                .setStream("")
                .setSequence(-1)
                .setMeasuredAtMicros(1)
                .setReplica("replica-0")
                .setName("expert_utilization_ratio")
                .setValue(0.5)
                .setGranularity(Granularity.FORWARD_PASS)
                .build();
        broker.stop();
        try (KafkaPublisher publisher = new KafkaPublisher(settings().withSpool(spool(64 << 20)))) {
            publish(publisher, 0, 1_000);
            assertThat(publisher.publish(Topic.OPERATORS, "replica-0", metric)).isTrue();
        }
        broker.restart();
        try (KafkaPublisher publisher = new KafkaPublisher(settings("-next").withSpool(spool(64 << 20)))) {
            assertThat(publisher.counters().recovered()).isEqualTo(1_001);
            publish(publisher, 0, 1_000);
            await().atMost(PATIENCE).until(() -> publisher.counters().acknowledged() == 2_001);
        }
        Map<String, List<Long>> expected = new HashMap<>(inOrder(instance, 200));
        expected.putAll(inOrder(instance + "-next", 200));
        assertThat(RequestsTopic.read(broker, instance).distinctSequences()).isEqualTo(expected);
        List<OperatorMetric> metrics = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : RequestsTopic.records(broker, Topic.OPERATORS)) {
            metrics.add(new EventCodec().decode(record.value(), OperatorMetric.class));
        }
        assertThat(metrics).as("out of the spool to its own topic").containsExactly(metric);
    }

    @Test
    void whatAKilledProcessHadSpooledArrivesThroughTheNextOne() throws Exception {
        broker.stop();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SpoolingProcess.class.getName(),
                        broker.bootstrapServers(),
                        directory.resolve("spool").toString(),
                        directory.resolve("count").toString(),
                        instance + "-killed")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("process.log").toFile())
                .start();
        long spooledAtLeast;
        try {
            await().atMost(PATIENCE).until(() -> spooledByProcess() > 3_000);
            spooledAtLeast = spooledByProcess();
        } finally {
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        broker.restart();
        try (KafkaPublisher publisher = new KafkaPublisher(settings("-next").withSpool(spool(64 << 20)))) {
            assertThat(publisher.counters().recovered()).isGreaterThanOrEqualTo(spooledAtLeast);
            await().atMost(PATIENCE).until(() -> publisher.counters().inSpool() == 0);
        }
        List<Long> arrived = RequestsTopic.read(broker, instance).sequences(instance + "-killed/replica-0");
        assertThat(arrived).hasSizeGreaterThanOrEqualTo((int) spooledAtLeast).isEqualTo(numbers(0, arrived.size()));
    }

    private long spooledByProcess() throws IOException {
        Path count = directory.resolve("count");
        return Files.exists(count) && Files.size(count) > 0 ? Files.size(count) : 0;
    }

    private PublisherSettings settings() {
        return settings("");
    }

    private PublisherSettings settings(String suffix) {
        return PublisherSettings.of(instance + suffix, KafkaSettings.of(broker.bootstrapServers()));
    }

    private SpoolSettings spool(long limitBytes) {
        return SpoolSettings.of(directory.resolve("spool"), limitBytes);
    }

    private long spoolFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("spool"))) {
            return files.filter(file -> file.toString().endsWith(".spool")).count();
        }
    }

    private static void publish(EventPublisher publisher, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(publisher.publish(Events.of(REPLICAS.get(i % REPLICAS.size()), i)))
                    .isTrue();
        }
    }

    private static ReplicaState state(String replica, @Nullable Long eventTimeMicros) {
        return new ReplicaState(
                replica,
                new ReplicaState.Placement("node-1", null, null, null, null, null),
                Source.PROXY,
                eventTimeMicros,
                0,
                0,
                null,
                3,
                3,
                0,
                0);
    }

    private static Map<String, List<Long>> inOrder(String instance, int count) {
        Map<String, List<Long>> expected = new HashMap<>();
        REPLICAS.forEach(replica -> expected.put(instance + "/" + replica, numbers(0, count)));
        return expected;
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }
}
