package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.catalogue.BaselineRule;
import io.inferwatch.schemas.catalogue.DriftWatches;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class ConfigIT {
    private static final MetricCatalogue SHIPPED = MetricCatalogue.shipped();
    private static final String CANARY = """
            thresholds: {ttft: 5%, error_ratio: 0.5%}
            baselines:
              canary: {view: model-version, across: version, against: "1.10", of: [ttft.p99, e2e.mean], alert: true}
            """;

    @TempDir
    private Path directory = Path.of("");

    private static KafkaBroker broker;

    @BeforeAll
    static void startBroker() {
        broker = KafkaBroker.start();
    }

    @AfterAll
    static void closeBroker() {
        broker.close();
    }

    @BeforeEach
    void createTopic() {
        broker.createTopic(Topic.CONFIG.topicName(), 3, Topic.CONFIG.kafkaSettings());
    }

    @AfterEach
    void deleteTopic() {
        broker.deleteTopic(Topic.CONFIG.topicName());
    }

    @Test
    void whatIsSetIsWhatRunningJobsRead() throws Exception {
        Instant before = Instant.now();
        assertThat(set(0, CANARY))
                .containsExactly("set threshold/ttft", "set threshold/error_ratio", "set baseline/canary");

        Map<String, @Nullable Setting> topic = topic();
        assertThat(topic).containsOnlyKeys("threshold/ttft", "threshold/error_ratio", "baseline/canary");
        Setting ttft = requireNonNull(topic.get("threshold/ttft"));
        assertThat(ttft.getKind()).isEqualTo(DriftWatches.THRESHOLD_KIND);
        assertThat(ttft.getName()).isEqualTo("ttft");
        assertThat(ttft.getBody()).isEqualTo("5%");
        assertThat(ttft.getChangedAtMicros())
                .isBetween(
                        ChronoUnit.MICROS.between(Instant.EPOCH, before),
                        ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        Setting canary = requireNonNull(topic.get("baseline/canary"));
        assertThat(canary.getKind()).isEqualTo(BaselineRule.KIND);
        BaselineRule rule = BaselineRule.parse(canary.getName(), canary.getBody(), SHIPPED);
        assertThat(rule.against()).isEqualTo("1.10");
        assertThat(rule.of()).extracting(Object::toString).containsExactly("ttft.p99", "e2e.mean");
        assertThat(rule.alert()).isTrue();
        assertThat(rule.pinned()).isFalse();
    }

    @Test
    void theLastOfAKeyHoldsAndTheListIsAFileThatCanBeSetAgain() throws Exception {
        set(0, CANARY);
        assertThat(set(0, "thresholds: {ttft: 7.5%, e2e: 4%}"))
                .containsExactly("replaced threshold/ttft", "set threshold/e2e");
        assertThat(set(0, "anomalies: {ttft.p50: {mode: promoted}}")).containsExactly("set anomaly/ttft.p50");

        String listed = String.join("\n", config(0, "list"));
        assertThat(listed).contains("  ttft: 7.5%  # set 20", "  canary:  # set 20");
        assertThat(listed.indexOf("baselines:")).isLessThan(listed.indexOf("thresholds:"));
        Map<String, @Nullable Setting> first = topic();
        assertThat(set(0, listed))
                .containsExactlyInAnyOrder(
                        "replaced threshold/ttft",
                        "replaced threshold/e2e",
                        "replaced threshold/error_ratio",
                        "replaced baseline/canary",
                        "replaced anomaly/ttft.p50");
        topic().forEach((key, setting) -> assertThat(requireNonNull(setting).getBody())
                .as(key)
                .isEqualTo(requireNonNull(first.get(key)).getBody()));
    }

    @Test
    void whatIsDeletedIsGoneForRunningJobsToo() throws Exception {
        set(0, CANARY);

        assertThat(config(0, "delete", "baseline/canary")).containsExactly("deleted baseline/canary");

        assertThat(topic()).containsEntry("baseline/canary", null);
        assertThat(config(0, "list"))
                .noneMatch(line -> line.contains("canary"))
                .anyMatch(line -> line.contains("ttft"));
        assertThat(config(2, "delete", "baseline/canary"))
                .containsExactly(
                        "KIND/NAME: must be an entry that is set (threshold/error_ratio, threshold/ttft), found"
                                + " 'baseline/canary'");
        assertThat(config(2, "delete", "treshold/ttft"))
                .singleElement()
                .asString()
                .endsWith("found 'treshold/ttft', did you mean 'threshold/ttft'?");
    }

    @Test
    void nothingOfAFaultyFileIsSent() throws Exception {
        assertThat(set(2, """
                        thresholds: {ttft: 5%, e2e: much}
                        baselines:
                          canary: {view: model-versions, across: version, against: v1, of: [ttft.p99]}
                        """))
                .containsExactly(
                        directory.resolve("config.yaml") + ":",
                        "  thresholds.e2e: must be a percentage such as 3% or 0.5%, found 'much'",
                        "  baselines.canary.view: must be a view of the catalogue, found 'model-versions', did you mean"
                                + " 'model-version'?");
        assertThat(topic()).isEmpty();
        assertThat(config(0, "list")).isEmpty();
    }

    @Test
    void anotherCatalogueDecidesWhatThereIs() throws IOException {
        Path own = Files.writeString(
                directory.resolve("own.yaml"), MetricCatalogue.shippedYaml().replace("  fleet:  ", "  all:    "));
        String rule = "baselines: {runs: {view: %s, across: x, against: a, of: [ttft.p99]}}";

        assertThat(set(2, rule.formatted("all"), "--catalogue=" + own))
                .noneMatch(line -> line.contains("must be a view"))
                .anyMatch(line -> line.contains("baselines.runs.across: must be a dimension"));
        assertThat(set(2, rule.formatted("all"))).anyMatch(line -> line.contains("must be a view of the catalogue"));
    }

    @Test
    void whatCannotBeReadIsShownAndCanBeDeleted() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            Topic.CONFIG.topicName(),
                            "slo/x".getBytes(StandardCharsets.UTF_8),
                            "{}".getBytes(StandardCharsets.UTF_8)))
                    .get();
        }

        assertThat(config(0, "list"))
                .containsExactly("slo/x: cannot be read: header: must be c3 01 and a schema fingerprint, found JSON");
        assertThat(config(0, "delete", "slo/x")).containsExactly("deleted slo/x");
        assertThat(config(0, "list")).isEmpty();
    }

    @Test
    void badInputIsOneMessageAndStatusTwo() throws IOException {
        Path impatient = Files.writeString(
                directory.resolve("kafka.properties"), "default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n");
        broker.deleteTopic(Topic.CONFIG.topicName());
        assertThat(config(2, "list", "--kafka-config=" + impatient))
                .containsExactly("topic inferwatch.config: does not exist at " + servers());
        assertThat(config(2, "set", "/nowhere.yaml"))
                .containsExactly("/nowhere.yaml:", "  must be a readable file, found NoSuchFileException");
        assertThat(config(2, "list", "--kafka-config=" + impatient, "--bootstrap-servers=127.0.0.1:1"))
                .singleElement()
                .asString()
                .startsWith("Kafka at 127.0.0.1:1 does not answer: TimeoutException");
    }

    private List<String> set(int status, String yaml, String... more) throws IOException {
        Path file = Files.writeString(directory.resolve("config.yaml"), yaml);
        List<String> arguments = new ArrayList<>(List.of("set", file.toString()));
        arguments.addAll(List.of(more));
        return config(status, arguments.toArray(new String[0]));
    }

    private List<String> config(int status, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (all.stream().noneMatch(argument -> argument.startsWith("--bootstrap-servers"))) {
            all.add("--bootstrap-servers=" + servers());
        }
        StringWriter text = new StringWriter();
        CommandLine command = new CommandLine(new ConfigCommand());
        command.setOut(new PrintWriter(text, true));
        command.setErr(new PrintWriter(text, true));
        assertThat(command.execute(all.toArray(new String[0])))
                .as(text.toString())
                .isEqualTo(status);
        return text.toString().lines().toList();
    }

    /** What lies in the topic, the last of each key; null where it was taken back. */
    private Map<String, @Nullable Setting> topic() throws Exception {
        EventCodec codec = new EventCodec();
        Map<String, @Nullable Setting> latest = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            consumer.partitionsFor(Topic.CONFIG.topicName())
                    .forEach(info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < requireNonNull(ends.get(partition)))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    byte[] value = record.value();
                    latest.put(
                            new String(record.key(), StandardCharsets.UTF_8),
                            value == null ? null : codec.decode(value, Setting.class));
                }
            }
        }
        return latest;
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", servers());
        return properties;
    }

    private String servers() {
        return broker.bootstrapServers();
    }
}
