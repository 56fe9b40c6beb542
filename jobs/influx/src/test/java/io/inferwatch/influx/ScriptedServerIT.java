package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.influx.InfluxWriter.BatchReport;
import io.inferwatch.influx.InfluxWriter.Refusal;
import io.inferwatch.influx.ScriptedServer.Answer;
import io.inferwatch.influx.ScriptedServer.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What no server at hand answers: limits, proxies, and InfluxDB 2.x, whose API is played by a script. */
class ScriptedServerIT {
    private static final Answer WRITTEN = Answer.text(204, "");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void aBatchIsSplitUntilItIsAcceptedAndKeepsItsOrder() throws IOException {
        List<String> lines =
                IntStream.range(0, 1000).mapToObj(i -> "m v=" + i + " " + i).toList();
        List<String> accepted = new ArrayList<>();
        try (ScriptedServer server = new ScriptedServer("1.8.10", request -> {
            List<String> got = request.body().lines().toList();
            if (got.size() > 250) {
                return Answer.json(413, "{\"error\":\"Request Entity Too Large\"}");
            }
            accepted.addAll(got);
            return WRITTEN;
        })) {
            assertThat(write(server, lines).unsent()).isEmpty();

            assertThat(accepted).isEqualTo(lines);
            assertThat(server.requests())
                    .extracting(request -> request.body().lines().count())
                    .containsExactly(1000L, 500L, 250L, 250L, 500L, 250L, 250L);
        }
    }

    @Test
    void aSinglePointThatIsTooLargeIsRefused() throws IOException {
        List<String> lines = List.of("m v=1 1", "m s=\"" + "x".repeat(1000) + "\" 2", "m v=3 3");
        try (ScriptedServer server = new ScriptedServer(
                "1.8.10", request -> request.body().length() > 500 ? Answer.text(413, "nginx") : WRITTEN)) {
            assertThat(write(server, lines).refused())
                    .containsExactly(new Refusal(1, RefusalReason.TOO_LARGE, "HTTP 413: nginx"));
        }
    }

    @Test
    void whatWasNotSentIsToldWhenAnObstacleComesInTheMiddle() throws IOException {
        List<String> lines = List.of("m v=0 0", "m v=x 1", "m v=2 2", "m v=3 3");
        List<Answer> script = new ArrayList<>(List.of(
                Answer.json(400, "{\"error\":\"partial write: unable to parse 'm v=x 1': invalid number dropped=0\"}"),
                Answer.json(400, "{\"error\":\"partial write: unable to parse 'm v=x 1': invalid number dropped=0\"}"),
                WRITTEN,
                Answer.json(400, "{\"error\":\"unable to parse 'm v=x 1': invalid number\"}"),
                Answer.text(503, "upstream connect error")));
        try (ScriptedServer server = new ScriptedServer("1.8.10", request -> script.remove(0))) {
            BatchReport report = write(server, lines);

            assertThat(report.refused()).extracting(Refusal::index).containsExactly(1);
            assertThat(report.unsent()).containsExactly(2, 3);
            assertThat(report.obstacle()).hasValue(new WriteAnswer.Retryable("HTTP 503: upstream connect error"));
        }
    }

    @Test
    void aBatchThatIsRefusedAsAWholeIsSentOnce() throws IOException {
        try (ScriptedServer server = new ScriptedServer(
                "1.8.10",
                request ->
                        Answer.json(400, "{\"error\":\"partial write: points beyond retention policy dropped=3\"}"))) {
            assertThat(write(server, List.of("m v=1 1", "m v=1 2", "m v=1 3")).refused())
                    .hasSize(3)
                    .allSatisfy(refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.BEYOND_RETENTION));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void requestsAreCompressedAndSpeakTheApiOfTheServersVersion() throws IOException {
        Path password = Files.writeString(directory.resolve("password"), "p");
        Credentials login = new Credentials.UserPassword("u", Secret.inFile(password));
        try (ScriptedServer modern = new ScriptedServer("1.8.10", request -> WRITTEN);
                ScriptedServer legacy = new ScriptedServer("1.7.11", request -> WRITTEN)) {
            for (ScriptedServer server : List.of(modern, legacy)) {
                // The same address in a spelling that is not taken for this machine.
                String remote = server.url().replace("127.0.0.1", "[::ffff:127.0.0.1]");
                try (InfluxClient client = InfluxClient.open(new InfluxConnection(remote, "d", "o", login))) {
                    new InfluxWriter(client).write("r1m", List.of("m v=1 1"));
                }
            }
            assertThat(modern.requests())
                    .containsExactly(new Request(
                            "POST", "/api/v2/write?org=o&bucket=d%2Fr1m&precision=us", "Token u:p", "gzip", "m v=1 1"));
            assertThat(legacy.requests())
                    .containsExactly(
                            new Request("POST", "/write?db=d&rp=r1m&precision=u", "Basic dTpw", "gzip", "m v=1 1"));
        }
    }

    @Test
    void nothingIsCompressedOnTheWayWithinTheMachine() throws IOException {
        try (ScriptedServer server = new ScriptedServer("1.8.10", request -> WRITTEN);
                InfluxClient client = InfluxClient.open(InfluxConnection.of(server.url()))) {
            new InfluxWriter(client).write("r1m", List.of("m v=1 1"));
            assertThat(server.requests()).extracting(Request::encoding).containsExactly("");
        }
    }

    @Test
    void aTokenForAServerThatKnowsNoneIsAConfigurationError() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "t0ken");
        try (ScriptedServer server = new ScriptedServer("1.7.11", request -> WRITTEN);
                InfluxClient client = InfluxClient.open(
                        new InfluxConnection(server.url(), "d", "o", new Credentials.Token(Secret.inFile(token))))) {
            assertThat(new InfluxWriter(client).write("r1m", List.of("m v=1 1")).obstacle())
                    .hasValue(new WriteAnswer.Fatal("InfluxDB 1.7.11 at " + server.url()
                            + " knows no tokens: give --influxdb-user and --influxdb-password-file instead"));
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void aRefusedConnectionCanBeTriedAgain() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        String url = "http://127.0.0.1:" + free;
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(url))) {
            assertThat(new InfluxWriter(client).write("r1m", List.of("m v=1 1")).obstacle())
                    .hasValueSatisfying(obstacle -> assertThat(obstacle)
                            .isInstanceOf(WriteAnswer.Retryable.class)
                            .asString()
                            .contains("InfluxDB at " + url + " does not answer", "Connect"));
            assertThatThrownBy(() -> new InfluxReader(client).query(RetentionPolicy.R1M, "SELECT 1"))
                    .isInstanceOf(InfluxUnavailableException.class)
                    .hasMessageContaining(url);
        }
    }

    @Test
    void bucketsAndMappingsAreMadeOnceInVersionTwo() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "t0ken");
        BucketStore store = new BucketStore();
        try (ScriptedServer server = new ScriptedServer("v2.7.11", store::answer);
                InfluxClient client = InfluxClient.open(new InfluxConnection(
                        server.url(), "inferwatch", "ours", new Credentials.Token(Secret.inFile(token))))) {
            InfluxSetup setup = new InfluxSetup(client);

            assertThat(setup.run()).hasSize(8).allSatisfy(step -> assertThat(step.change())
                    .isEqualTo(InfluxSetup.Change.MADE));
            assertThat(store.buckets)
                    .extracting(bucket -> bucket.get("name").asText())
                    .containsExactly("inferwatch/r10s", "inferwatch/r1m", "inferwatch/r1h", "inferwatch/runs");
            assertThat(store.buckets
                            .get(2)
                            .get("retentionRules")
                            .get(0)
                            .get("everySeconds")
                            .asLong())
                    .isEqualTo(728L * 24 * 3600);
            assertThat(store.mappings)
                    .extracting(mapping -> mapping.get("database").asText() + " "
                            + mapping.get("retention_policy").asText() + " "
                            + mapping.get("bucketID").asText() + " "
                            + mapping.get("default").asText())
                    .containsExactly(
                            "inferwatch r10s b0 false",
                            "inferwatch r1m b1 true",
                            "inferwatch r1h b2 false",
                            "inferwatch runs b3 false");
            assertThat(server.requests())
                    .allSatisfy(request -> assertThat(request.authorization()).isEqualTo("Token t0ken"));

            assertThat(setup.run()).hasSize(8).allSatisfy(step -> assertThat(step.change())
                    .isEqualTo(InfluxSetup.Change.WAS_THERE));
            assertThat(store.buckets).hasSize(4);
            assertThat(store.mappings).hasSize(4);
        }
    }

    @Test
    void anUnknownOrganizationIsNamed() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "t0ken");
        try (ScriptedServer server = new ScriptedServer("v2.7.11", new BucketStore()::answer);
                InfluxClient client = InfluxClient.open(new InfluxConnection(
                        server.url(), "inferwatch", "theirs", new Credentials.Token(Secret.inFile(token))))) {
            assertThatThrownBy(() -> new InfluxSetup(client).run())
                    .isInstanceOf(InfluxConfigurationException.class)
                    .hasMessage("--influxdb-org: must be an organization that the token may see, found 'theirs'");
        }
    }

    private static BatchReport write(ScriptedServer server, List<String> lines) {
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(server.url()))) {
            return new InfluxWriter(client).write("r1m", lines);
        }
    }

    /** The part of the 2.x API that setup uses, after its published description. */
    private static final class BucketStore {
        private static final ObjectMapper JSON = new ObjectMapper();

        private final List<JsonNode> buckets = new ArrayList<>();
        private final List<JsonNode> mappings = new ArrayList<>();

        Answer answer(Request request) {
            try {
                return switch (request.method() + " " + request.path()) {
                    case "GET /api/v2/orgs" ->
                        request.target().contains("org=ours")
                                ? Answer.json(200, "{\"orgs\":[{\"id\":\"o1\",\"name\":\"ours\"}]}")
                                : Answer.json(
                                        404, "{\"code\":\"not found\",\"message\":\"organization name not found\"}");
                    case "GET /api/v2/buckets" ->
                        Answer.json(200, "{\"buckets\":" + matching(buckets, "name", parameter(request, "name")) + "}");
                    case "POST /api/v2/buckets" -> {
                        buckets.add(withId(request, "b" + buckets.size()));
                        yield Answer.json(201, buckets.get(buckets.size() - 1).toString());
                    }
                    case "GET /api/v2/dbrps" ->
                        Answer.json(
                                200,
                                "{\"content\":" + matching(mappings, "retention_policy", parameter(request, "rp"))
                                        + "}");
                    case "POST /api/v2/dbrps" -> {
                        mappings.add(withId(request, "d" + mappings.size()));
                        yield Answer.json(201, mappings.get(mappings.size() - 1).toString());
                    }
                    default -> Answer.json(404, "{\"code\":\"not found\",\"message\":\"path not found\"}");
                };
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static JsonNode withId(Request request, String id) throws IOException {
            JsonNode body = JSON.readTree(request.body());
            return ((com.fasterxml.jackson.databind.node.ObjectNode) body).put("id", id);
        }

        private static List<JsonNode> matching(List<JsonNode> all, String key, String value) {
            return all.stream()
                    .filter(one -> one.get(key).asText().equals(value))
                    .toList();
        }

        private static String parameter(Request request, String name) {
            String query = request.target().substring(request.target().indexOf('?') + 1);
            for (String pair : query.split("&", -1)) {
                if (pair.startsWith(name + "=")) {
                    return java.net.URLDecoder.decode(
                            pair.substring(name.length() + 1), java.nio.charset.StandardCharsets.UTF_8);
                }
            }
            return "";
        }
    }
}
