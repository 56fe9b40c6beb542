package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(90)
class EventsTailIT {
    private static final long BASE_MILLIS = 1_700_000_000_000L;

    private final EventCodec codec = new EventCodec();
    private @Nullable KafkaBroker broker;

    @BeforeAll
    void publish() throws Exception {
        broker = KafkaBroker.start();
        // Without the topic's own retention, which would drop these old times.
        broker.createTopic(Topic.HEALTH.topicName(), 3, Map.of("retention.ms", "-1"));
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (int second = 0; second < 40; second++) {
                send(producer, second % 3, second, second % 2 == 0 ? "measure" : "store", sample(second));
            }
            send(producer, 0, 40, "measure", "{}".getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterAll
    void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void printsTheLastRecordsOfAllPartitionsInTheOrderOfTime() throws Exception {
        List<JsonNode> lines = tail("health");

        assertThat(lines).hasSize(10);
        assertThat(lines)
                .extracting(
                        line -> Instant.parse(line.get("timestamp").asText()).toEpochMilli())
                .containsExactlyElementsOf(java.util.stream.LongStream.rangeClosed(31, 40)
                        .mapToObj(s -> BASE_MILLIS + s * 1000)
                        .toList());
        assertThat(lines.get(0).get("record").asText()).isEqualTo("HealthSample");
        assertThat(lines.get(0).get("event").get("values").get("second").asDouble())
                .isEqualTo(31.0);
        assertThat(lines.get(9).get("undecodable").get("reason").asText()).isEqualTo("not-single-object");
    }

    @Test
    void aKeyIsFoundWhereverItIs() throws Exception {
        List<JsonNode> lines = tail("inferwatch.health", "--key=store", "--limit=15");

        assertThat(lines)
                .hasSize(15)
                .allSatisfy(line -> assertThat(line.get("key").asText()).isEqualTo("store"));
        assertThat(lines.get(14).get("event").get("values").get("second").asDouble())
                .isEqualTo(39.0);
    }

    @Test
    void everythingSinceATimeIsPrinted() throws Exception {
        assertThat(tail("health", "--since=" + Instant.ofEpochMilli(BASE_MILLIS + 20_000)))
                .hasSize(21);
        assertThat(tail("health", "--since=" + Instant.ofEpochMilli(BASE_MILLIS + 20_000), "--limit=5"))
                .hasSize(5);
        assertThat(tail("health", "--since=now")).isEmpty();
    }

    @Test
    void followsUntilNobodyReads() throws Exception {
        Lines lines = new Lines();
        CommandLine command = new CommandLine(new EventsCommand());
        command.setOut(new PrintWriter(lines, true));
        Thread thread = new Thread(() -> command.execute(withServers("health", "--follow", "--limit=1")));
        thread.start();
        assertThat(lines.next()).contains("undecodable");

        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            send(producer, 1, 0, "late", sample(99));
        }
        assertThat(lines.next()).contains("\"second\":99.0");

        lines.broken = true;
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void badInputIsOneMessageAndStatusTwo(@TempDir Path directory) throws IOException {
        Path impatient = Files.writeString(
                directory.resolve("kafka.properties"), "default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n");

        assertThat(refused("windws")).contains("TOPIC: must be one of", "did you mean 'inferwatch.windows'?");
        assertThat(refused("windows", "--kafka-config=" + impatient))
                .isEqualTo("topic inferwatch.windows: does not exist at " + servers());
        assertThat(refused("health", "--limit=0")).isEqualTo("--limit: must be at least 1, found 0");
        assertThat(refused("health", "--since=noon")).startsWith("--since: must be an instant");
        assertThat(refused("health", "--kafka-config=/nowhere"))
                .isEqualTo("--kafka-config: must be a readable properties file, found /nowhere: NoSuchFileException");
        assertThat(refused("health", "--kafka-config=" + impatient, "--bootstrap-servers=127.0.0.1:1"))
                .startsWith("Kafka at 127.0.0.1:1 does not answer: TimeoutException");
        assertThat(refused("health", "--bootstrap-servers=nohost"))
                .startsWith("Kafka at nohost does not answer: ConfigException");
    }

    private String refused(String... arguments) {
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new EventsCommand());
        command.setErr(new PrintWriter(err, true));
        assertThat(command.execute(withServers(arguments))).as(err.toString()).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(1);
        return err.toString().strip();
    }

    private List<JsonNode> tail(String... arguments) throws IOException {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new EventsCommand());
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute(withServers(arguments))).isZero();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : out.toString().lines().toList()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    private String[] withServers(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(0, "tail");
        if (all.stream().noneMatch(argument -> argument.startsWith("--bootstrap-servers"))) {
            all.add("--bootstrap-servers=" + servers());
        }
        return all.toArray(new String[0]);
    }

    private byte[] sample(int second) {
        return codec.encode(new HealthSample("measure", "i", second * 1_000_000L, Map.of("second", (double) second)));
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer, int partition, int second, String key, byte[] value)
            throws Exception {
        producer.send(new ProducerRecord<>(
                        Topic.HEALTH.topicName(),
                        partition,
                        BASE_MILLIS + second * 1000L,
                        key.getBytes(StandardCharsets.UTF_8),
                        value))
                .get();
    }

    private KafkaProducer<byte[], byte[]> producer() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", servers());
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private String servers() {
        return requireNonNull(broker).bootstrapServers();
    }

    /** The reading end of a pipe that may break. */
    private static final class Lines extends Writer {
        private final BlockingQueue<String> complete = new LinkedBlockingQueue<>();
        private final StringBuilder started = new StringBuilder();
        private volatile boolean broken;

        String next() throws InterruptedException {
            return requireNonNull(complete.poll(30, TimeUnit.SECONDS), "no line came");
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                if (characters[i] == '\n') {
                    complete.add(started.toString());
                    started.setLength(0);
                } else {
                    started.append(characters[i]);
                }
            }
        }

        @Override
        public void flush() throws IOException {
            if (broken) {
                throw new IOException("Broken pipe");
            }
        }

        @Override
        public void close() {}
    }
}
