package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
