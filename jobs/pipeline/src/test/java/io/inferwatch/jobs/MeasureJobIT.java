package io.inferwatch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole job against a real broker: generated events in, windows out, compared with sorted raw values. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MeasureJobIT {
    private static final int REQUESTS = 12_000;
    private static final long SPAN_SECONDS = 3600;

    @RegisterExtension
    private static final MiniClusterExtension FLINK = new MiniClusterExtension();

    private final EventCodec codec = new EventCodec();
    private final List<RequestEvent> events = new ArrayList<>();
    private KafkaBroker broker;
    private Map<String, WindowStat> windows;
    private List<WindowStat> everyWindow;
    private List<DeadLetter> deadLetters;

    @BeforeAll
    void runTheJobOnce() throws Exception {
        broker = KafkaBroker.start();
        KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
        KafkaTopics.create(kafka, 3, (short) 1);
        long endMicros = Instant.now().truncatedTo(ChronoUnit.SECONDS).toEpochMilli() * 1000;
        generate(endMicros);
        publish(kafka);

        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(JobDefaults.configuration());
        environment.setParallelism(2);
        String catalogue = MetricCatalogue.shippedYaml();
        MeasureJob.build(
                environment,
                new MeasureJob.Sources(
                        MeasureJob.requests(kafka, catalogue)
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        MeasureJob.samples(kafka, catalogue)
                                .setBounded(OffsetsInitializer.latest())
                                .build()),
                MeasureJob.Sinks.kafka(kafka),
                catalogue,
                MeasureSettings.byDefault().withoutAlignment());
        environment.execute(MeasureJob.NAME);

        everyWindow = new ArrayList<>();
        windows = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : readAll(Topic.WINDOWS)) {
            WindowStat stat = codec.decode(record.value(), WindowStat.class);
            assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(stat.getSeries());
            everyWindow.add(stat);
            windows.merge(
                    stat.getSeries() + "@" + stat.getWindowMicros() + "@" + stat.getWindowEndMicros(),
                    stat,
                    (a, b) -> b.getRequests() >= a.getRequests() ? b : a);
        }
        deadLetters = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : readAll(Topic.DEAD_LETTERS)) {
            deadLetters.add(codec.decode(record.value(), DeadLetter.class));
        }
    }

    @AfterAll
    void stopTheBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void everyWindowOfEveryViewHasExactCountsAndQuantilesWithinFourPerMille() {
        Map<String, Function<RequestEvent, String>> views = new TreeMap<>();
        views.put("fleet", e -> "fleet");
        views.put("region-model", e -> "region-model/" + encodedRegion(e) + "/" + e.getModel());
        views.put("model-version", e -> "model-version/" + e.getModel() + "/" + e.getVersion());
        views.put("pool-model", e -> "pool-model/none/" + e.getModel());
        views.put("node", e -> "node/" + e.getNode());
        views.put("replica-version", e -> "replica-version/" + e.getReplica() + "/" + e.getVersion());
        views.put("tenant-model", e -> "tenant-model/" + e.getTenant() + "/" + e.getModel());
        views.put(
                "turn-model-version", e -> "turn-model-version/" + turn(e) + "/" + e.getModel() + "/" + e.getVersion());
        views.put("template-model", e -> "template-model/none/" + e.getModel());
        views.put("class-model-version", e -> "class-model-version/none/" + e.getModel() + "/" + e.getVersion());
        views.put(
                "mix-model-version",
                e -> "mix-model-version/" + prompt(e) + "." + cache(e) + "/" + e.getModel() + "/" + e.getVersion());
        views.put("node-prompt", e -> "node-prompt/" + e.getNode() + "/" + prompt(e));
        int compared = 0;
        for (Map.Entry<String, Function<RequestEvent, String>> view : views.entrySet()) {
            for (long windowSeconds : new long[] {10, 60, 3600}) {
                long windowMicros = windowSeconds * 1_000_000;
                Map<String, List<RequestEvent>> groups = events.stream()
                        .filter(e -> e.getTraffic() == Traffic.PRODUCTION)
                        .collect(Collectors.groupingBy(e -> view.getValue().apply(e) + "@" + windowMicros + "@"
                                + (Math.floorDiv(e.getCompletedAtMicros(), windowMicros) + 1) * windowMicros));
                long requestWindows = windows.values().stream()
                        .filter(w -> w.getView().equals(view.getKey()) && w.getWindowMicros() == windowMicros)
                        .count();
                assertThat(requestWindows)
                        .as("windows of %s, %d s", view.getKey(), windowSeconds)
                        .isEqualTo(groups.size());
                for (Map.Entry<String, List<RequestEvent>> group : groups.entrySet()) {
                    WindowStat window = windows.get(group.getKey());
                    assertThat(window).as(group.getKey()).isNotNull();
                    compare(window, group.getValue());
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(5_000);
    }

    @Test
    void syntheticTrafficIsSeenByItsRunAlone() {
        List<RequestEvent> synthetic =
                events.stream().filter(e -> e.getTraffic() == Traffic.SYNTHETIC).toList();
        assertThat(synthetic).isNotEmpty();
        assertThat(windows.values().stream()
                        .filter(w -> w.getSeries().equals("run/run-1") && w.getWindowMicros() == 1_000_000)
                        .mapToLong(WindowStat::getRequests)
                        .sum())
                .isEqualTo(synthetic.size());
    }

    @Test
    void aWindowIsPublishedOnceWhenNothingComesLate() {
        assertThat(everyWindow).allSatisfy(w -> assertThat(w.getRevision()).isZero());
        assertThat(everyWindow).hasSameSizeAs(windows.values());
    }

    @Test
    void nothingThatComesInTimeIsCalledLate() {
        assertThat(readAll(Topic.LATE)).isEmpty();
    }

    @Test
    void whatIsNoEventIsADeadLetterWithItsPlaceAndReason() {
        assertThat(deadLetters.stream().collect(Collectors.groupingBy(DeadLetter::getReason, Collectors.counting())))
                .isEqualTo(Map.of("not-single-object", 2L, "negative-value", 1L, "future", 1L));
        assertThat(deadLetters).allSatisfy(letter -> {
            assertThat(letter.getTopic()).isEqualTo("inferwatch.requests");
            assertThat(letter.getStage()).isEqualTo("screen");
            assertThat(letter.getOffset()).isNotNegative();
        });
        assertThat(deadLetters.stream()
                        .filter(l -> l.getReason().equals("negative-value"))
                        .map(DeadLetter::getDetail))
                .containsExactly("ttftMicros: must be at least 0, found -5");
    }

    private void compare(WindowStat window, List<RequestEvent> group) {
        assertThat(window.getRequests()).as(window.getSeries()).isEqualTo(group.size());
        assertThat(sum(window, "requests")).isEqualTo(group.size());
        if (!window.getView().equals("node-prompt")) {
            assertThat(sum(window, "completed"))
                    .isEqualTo(group.stream().filter(MeasureJobIT::isComplete).count());
            assertThat(sum(window, "failed"))
                    .isEqualTo(group.stream()
                            .filter(e -> !isComplete(e) && e.getOutcome() != Outcome.CLIENT_CANCEL)
                            .count());
            assertThat(sum(window, "good"))
                    .isEqualTo(group.stream()
                            .filter(e -> isComplete(e)
                                    && e.getTtftMicros() != null
                                    && e.getTtftMicros() <= 2_000_000
                                    && e.getTpotNanos() != null
                                    && e.getTpotNanos() <= 200_000_000)
                            .count());
            assertThat(sum(window, "prefilled_tokens"))
                    .isEqualTo(group.stream()
                            .mapToLong(e -> e.getPromptTokens() - Objects.requireNonNullElse(e.getCachedTokens(), 0L))
                            .sum());
        }
        compare(window, "ttft", group.stream().map(RequestEvent::getTtftMicros));
        compare(window, "e2e", group.stream().filter(MeasureJobIT::isComplete).map(RequestEvent::getE2eMicros));
    }

    private static void compare(WindowStat window, String metric, java.util.stream.Stream<Long> values) {
        long[] sorted = values.filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        QuantileSketch sketch = window.getSketches().stream()
                .filter(s -> s.getMetric().equals(metric))
                .map(MetricSketch::getSketch)
                .map(bytes ->
                        SketchEncoding.decode(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()))
                .findFirst()
                .orElseGet(QuantileSketch::new);
        assertThat(sketch.n()).as("%s of %s", metric, window.getSeries()).isEqualTo(sorted.length);
        if (sorted.length == 0) {
            return;
        }
        assertThat(sketch.min()).isEqualTo(sorted[0]);
        assertThat(sketch.max()).isEqualTo(sorted[sorted.length - 1]);
        assertThat(sketch.sum()).isEqualTo(Arrays.stream(sorted).sum());
        for (double q : new double[] {0.5, 0.9, 0.95, 0.99, 0.999}) {
            long exact = sorted[(int) Math.ceil(q * sorted.length - 1e-9) - 1];
            assertThat(sketch.quantile(q)).isCloseTo((double) exact, within(0.004 * exact));
        }
    }

    private static long sum(WindowStat window, String metric) {
        return window.getSums().stream()
                .filter(s -> s.getMetric().equals(metric))
                .mapToLong(MetricSum::getValue)
                .sum();
    }

    private static boolean isComplete(RequestEvent event) {
        return event.getOutcome() == Outcome.OK || event.getOutcome() == Outcome.LENGTH;
    }

    /** The two regions have names that must not be taken for the separators of a series. */
    private static String encodedRegion(RequestEvent e) {
        return e.getRegion().equals("eu/west") ? "eu%2fwest" : "us%25east";
    }

    private static String turn(RequestEvent e) {
        Integer turn = e.getTurn();
        if (turn == null) {
            return "none";
        }
        return turn < 2 ? "1" : turn < 3 ? "2" : turn < 5 ? "3-4" : turn < 8 ? "5-7" : "8+";
    }

    private static String prompt(RequestEvent e) {
        long p = e.getPromptTokens();
        return p < 512
                ? "0-511"
                : p < 2048
                        ? "512-2047"
                        : p < 8192 ? "2048-8191" : p < 32768 ? "8192-32767" : p < 131072 ? "32768-131071" : "131072+";
    }

    private static String cache(RequestEvent e) {
        if (e.getCachedTokens() == null) {
            return "none";
        }
        long percent = 100 * e.getCachedTokens() / Math.max(1, e.getPromptTokens());
        return percent < 10 ? "cold" : percent < 50 ? "warm" : "hot";
    }

    private void generate(long endMicros) {
        SplittableRandom random = new SplittableRandom(20261130);
        Map<String, Long> next = new HashMap<>();
        for (int i = 0; i < REQUESTS; i++) {
            int replica = random.nextInt(5);
            long offsetMicros = SPAN_SECONDS * 1_000_000 * i / REQUESTS;
            // Out of order by up to four seconds, within the watermark's delay.
            long completedAt = endMicros - SPAN_SECONDS * 1_000_000 + offsetMicros - random.nextLong(4_000_000);
            boolean failed = random.nextInt(20) == 0;
            boolean synthetic = random.nextInt(50) == 0;
            String stream = "test/replica-" + replica;
            Long ttft = failed ? null : (long) (Math.exp(random.nextGaussian() * 0.8) * 300_000);
            long tokens = random.nextLong(1, 200_000);
            events.add(RequestEvent.newBuilder()
                    .setStream(stream)
                    .setSequence(next.merge(stream, 1L, Long::sum) - 1)
                    .setCompletedAtMicros(completedAt)
                    .setStartedAtMicros(completedAt - 1)
                    .setTraffic(synthetic ? Traffic.SYNTHETIC : Traffic.PRODUCTION)
                    .setRun(synthetic ? "run-1" : null)
                    .setOutcome(failed ? (random.nextBoolean() ? Outcome.TIMEOUT : Outcome.HTTP_ERROR) : Outcome.OK)
                    .setReplica("replica-" + replica)
                    .setNode("node-" + replica / 2)
                    .setRegion(replica < 3 ? "eu/west" : "us%east")
                    .setModel(replica % 2 == 0 ? "llama" : "qwen")
                    .setVersion("v" + replica % 3)
                    .setTenant("t" + random.nextInt(7))
                    .setTurn(random.nextInt(3) == 0 ? null : random.nextInt(1, 12))
                    .setTtftMicros(ttft)
                    .setTpotNanos(
                            ttft == null || random.nextInt(10) == 0 ? null : random.nextLong(1_000_000, 300_000_000))
                    .setE2eMicros(ttft == null ? (Long) 30_000_000L : (Long) (ttft + random.nextLong(20_000_000)))
                    .setPromptTokens(tokens)
                    .setCachedTokens(random.nextInt(4) == 0 ? null : random.nextLong(tokens))
                    .setOutputTokens(failed ? 0L : random.nextLong(2_000))
                    .setSource(Source.LOAD)
                    .build());
        }
    }

    /** Publishes every event, some of them twice, with a few records among them that are no events. */
    private void publish(KafkaConnection kafka) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < events.size(); i++) {
                send(producer, events.get(i).getReplica(), codec.encode(events.get(i)));
                if (i % 100 == 0) {
                    send(producer, events.get(i).getReplica(), codec.encode(events.get(i)));
                }
                if (i == 2_000) {
                    send(producer, "replica-1", "{\"a\":1}".getBytes(StandardCharsets.UTF_8));
                    send(producer, "replica-1", new byte[] {0, 0, 0, 0, 8, 2});
                    send(producer, "replica-1", null);
                    RequestEvent negative = RequestEvent.newBuilder(events.get(0))
                            .setSequence(1_000_000)
                            .setStream("nonsense")
                            .setTtftMicros(-5L)
                            .build();
                    send(producer, "replica-1", codec.encode(negative));
                    RequestEvent future = RequestEvent.newBuilder(events.get(0))
                            .setSequence(1_000_001)
                            .setStream("nonsense")
                            .setCompletedAtMicros(1_755_933_141_855_875_000L)
                            .build();
                    send(producer, "replica-1", codec.encode(future));
                }
            }
            producer.flush();
        }
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String key, byte[] value) {
        var unused = producer.send(
                new ProducerRecord<>(Topic.REQUESTS.topicName(), key.getBytes(StandardCharsets.UTF_8), value));
    }

    private List<ConsumerRecord<byte[], byte[]>> readAll(Topic topic) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", broker.bootstrapServers());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic.topicName()).stream()
                    .map(p -> new TopicPartition(p.topic(), p.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
            }
            return records;
        }
    }
}
