package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.probes.corpus.CorpusCommand;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code inferwatch load} as it is typed, against a simulated server and a real broker. */
class LoadCommandIT {
    private static KafkaBroker broker;
    private static SimulationServer server;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start();
        RequestsTopic.create(broker);
        broker.createTopic(Topic.RESULTS.topicName(), 1, Topic.RESULTS.kafkaSettings());
        server = SimulationServer.start(SimulationSettings.of(ServerSpec.usual(1, 9)));
    }

    @AfterAll
    static void stop() {
        server.close();
        broker.close();
    }

    @Test
    void stepsGetAVerdictAndEveryRequestIsPublishedAndWritten() throws Exception {
        Path result = directory.resolve("result.json");
        int status = load(
                "--stages", "200:2s,250:2s",
                "--arrivals", "constant",
                "--lengths", "fixed:16",
                "--answers", "fixed:1",
                "--p99-limit", "20s",
                "--max-lag", "10s",
                "--warm-up", "20",
                "--run", "steps",
                "--output-file", result.toString(),
                "--export-dir", directory.toString(),
                "--bootstrap-servers", broker.bootstrapServers());
        assertThat(err.toString()).isEmpty();
        assertThat(status).isZero();
        assertThat(out.toString()).containsPattern(" 1 +200\\.0 .* pass").containsPattern(" 2 +250\\.0 .* pass");
        JsonNode node = new ObjectMapper().readTree(result.toFile());
        int requests = node.path("requests").size();
        // A gap before the first of each step, none after the last.
        assertThat(requests).isEqualTo(399 + 499);
        assertThat(node.path("warm_up_requests").asInt()).isEqualTo(20);
        assertThat(node.at("/steps/1/verdict").asText()).isEqualTo("pass");
        assertThat(directory.resolve(AiperfExport.SUMMARY_FILE)).exists();
        assertThat(directory.resolve(VllmExport.FILE)).exists();
        assertThat(directory.resolve(SingleRunRecord.FILE)).exists();
        List<RequestEvent> events = RequestsTopic.read(broker, "load-").events().stream()
                .filter(event -> "steps".equals(event.getRun()))
                .toList();
        assertThat(events).hasSize(requests).allSatisfy(event -> {
            assertThat(event.getTraffic()).isEqualTo(Traffic.SYNTHETIC);
            assertThat(event.getScheduledAtMicros()).isEqualTo(event.getStartedAtMicros());
        });
        for (Path file : List.of(result, directory.resolve(VllmExport.FILE))) {
            // The prompts' words are in no file.
            assertThat(Files.readString(file)).doesNotContainPattern("(the|and|for|are|but|not) [a-z]{3} [a-z]{3} ");
        }
    }

    /** Every prompt holds a word that is nowhere else; it may be in no record of the broker and in no file but the snapshot. */
    @Test
    void aCorpusIsSentAndNothingOfItIsPublishedOrWritten() throws Exception {
        Path logs = Files.createDirectories(directory.resolve("logs"));
        Path corpus = directory.resolve("corpus");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lines.add("{\"prompt\":\"Zinnober " + i
                    + " and some twenty more words that make up a question to a model, so that it is long enough, in turn "
                    + i * i + "\"}");
        }
        Files.write(logs.resolve("prompts.jsonl"), lines);
        assertThat(new CommandLine(new CorpusCommand())
                        .setOut(new PrintWriter(out, true))
                        .execute("build", logs.toString(), "--corpus", corpus.toString()))
                .isZero();
        Path results = Files.createDirectories(directory.resolve("results"));
        int status = load(
                "--request-rate", "100",
                "--num-prompts", "50",
                "--corpus", corpus.toString(),
                "--structure", "json",
                "--answers", "fixed:1",
                "--max-lag", "10s",
                "--run", "corpus",
                "--output-file", results.resolve("result.json").toString(),
                "--export-dir", results.toString(),
                "--bootstrap-servers", broker.bootstrapServers());
        assertThat(err.toString()).isEmpty();
        assertThat(status).isZero();
        List<RequestEvent> events = RequestsTopic.read(broker, "load-").events().stream()
                .filter(event -> "corpus".equals(event.getRun()))
                .toList();
        assertThat(events).hasSize(50).allSatisfy(event -> {
            assertThat(event.getPromptStructure()).isEqualTo("json");
            assertThat(event.getPromptCharacters()).isBetween(300L, 500L);
        });
        assertThat(RequestsTopic.encoded(broker))
                .noneMatch(bytes -> new String(bytes, StandardCharsets.ISO_8859_1).contains("Zinnober"));
        try (Stream<Path> files = Files.list(results)) {
            assertThat(files.toList()).hasSize(5).allSatisfy(file -> assertThat(Files.readString(file))
                    .doesNotContain("Zinnober"));
        }
        assertThat(load("--max-concurrency", "2", "--corpus", corpus.toString(), "--lengths", "fixed:5"))
                .isEqualTo(2);
        assertThat(load("--max-concurrency", "2", "--corpus", logs.toString())).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "inferwatch load: --corpus: must be alone in saying how long prompts are, found --lengths",
                        "inferwatch load: " + logs + ": must be a corpus or a snapshot of one, found neither");
    }

    /** Two thousand requests of a model a tenth of a second apart, in pairs, between a thousand synthetic ones and as many of another model. */
    @Test
    void productionIsFittedAsItWasPublished() throws Exception {
        long begin = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - 1_000_000_000L;
        try (EventPublisher publisher =
                new KafkaPublisher(PublisherSettings.of("fit", KafkaSettings.of(broker.bootstrapServers())))) {
            for (int i = 0; i < 4_000; i++) {
                RequestEvent event = Finished.good(i, 0, begin + i / 4 * 200_000L + i % 2 * 10_000L, 5_000, 9_000)
                        .event();
                event.setReplica("fit");
                event.setModel(i % 4 < 2 ? "fitted" : "other");
                event.setTraffic(i % 4 < 2 || i % 4 == 2 ? Traffic.PRODUCTION : Traffic.SYNTHETIC);
                event.setPromptTokens(i % 4 < 2 ? 100L + i % 3 : 7_000L);
                assertThat(publisher.publish(event)).isTrue();
            }
            assertThat(publisher.flush(Duration.ofSeconds(30))).isTrue();
        }
        int status = fit("--from-kafka", "--model", "fitted", "--bootstrap-servers", broker.bootstrapServers());
        assertThat(err.toString()).isEmpty();
        assertThat(status).isZero();
        assertThat(out.toString())
                .contains("arrivals: 2,000 in 199.8 s, 10.005/s")
                .contains("prompts: mean 101, P50 101, P99 102 tokens")
                .contains("answers: all of 11 tokens")
                .containsPattern("--request-rate 10\\.0.* --answers fixed:11");
        assertThat(fit("--from-kafka", "--last", "1s", "--bootstrap-servers", broker.bootstrapServers()))
                .isEqualTo(2);
        assertThat(fit()).isEqualTo(2);
        assertThat(fit("trace.csv")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "inferwatch load fit: requests: must be at least 10 for a fit, found 0",
                        "inferwatch load fit: requests: must come from files with --format, or --from-kafka, found neither",
                        "inferwatch load fit: requests: must come from files with --format, or --from-kafka, found files without --format");
    }

    private int fit(String... arguments) {
        List<String> all = new ArrayList<>(List.of("fit"));
        all.addAll(Arrays.asList(arguments));
        return new CommandLine(new LoadCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(new String[0]));
    }

    @Test
    void aServerOverItsLimitCutsTheLoadOff() {
        int status = load(
                "--stages", "150:60s",
                "--lengths", "fixed:16",
                "--answers", "fixed:1",
                "--p99-limit", "1ms",
                "--max-lag", "10s",
                "--run", "cut");
        assertThat(status).isEqualTo(1);
        assertThat(out.toString()).contains("circuit-breaker").contains("stopped: circuit breaker");
    }

    @Test
    void aGeneratorThatIsTooLateSaysSo() {
        int status = load("--request-rate", "100", "--num-prompts", "50", "--answers", "fixed:1", "--max-lag", "0s");
        assertThat(status).isEqualTo(3);
        assertThat(out.toString()).contains("INVALID: lag: must be at most 0.0 ms at P99, found ");
    }

    @Test
    void whatIsWrongIsSaidInOneLine() {
        assertThat(load()).isEqualTo(2);
        assertThat(load("--request-rate", "5", "--sessions", "2")).isEqualTo(2);
        assertThat(load("--request-rate", "0")).isEqualTo(2);
        assertThat(load("--max-concurrency", "2", "--p99-limit", "1s")).isEqualTo(2);
        assertThat(load("--trace", "no-such-file")).isEqualTo(2);
        assertThat(load("--request-rate", "5", "--skew", "0.5", "--lengths", "lognormal:5,1,1,99"))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "inferwatch load: load: must be told, by --trace, --rates, --request-rate, --stages, --sessions or --max-concurrency",
                        "inferwatch load: load: must be one of --trace, --rates, --request-rate, --stages and --sessions, found --request-rate and --sessions",
                        "inferwatch load: --request-rate: must be above 0 and at most 1000000, found 0.0",
                        "inferwatch load: --p99-limit: must come with a load that has a rate, found a closed loop",
                        "inferwatch load: --format: must be given with --trace",
                        "inferwatch load: --skew: must come with fixed lengths, found others");
    }

    private int load(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--url", server.url()));
        all.addAll(Arrays.asList(arguments));
        return new CommandLine(new LoadCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(new String[0]));
    }
}
