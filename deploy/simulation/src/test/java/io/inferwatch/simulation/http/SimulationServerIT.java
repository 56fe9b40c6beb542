package io.inferwatch.simulation.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.Stages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server over a real socket, with steps of two milliseconds. */
class SimulationServerIT {
    private static final EngineSpec FAST = EngineSpec.llama8bOnA100().withCost(new CostModel(2e6, 1_000, 0, 1_000, 0));
    private static final ServerSpec SPEC =
            ServerSpec.usual(1, 5).withEngine(FAST).withStages(Stages.none()).withModel("sim");

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private Path log;
    private SimulationServer server;

    @BeforeEach
    void start() {
        log = directory.resolve("timing.jsonl");
        server = SimulationServer.start(SimulationSettings.of(SPEC).withTimingLog(log));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aChatIsStreamedTokenByTokenAndSaysThatItIsSimulated() throws Exception {
        long beginNanos = System.nanoTime();
        HttpResponse<String> response = post("/v1/chat/completions", """
                {"model": "sim", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 7, "ignore_eos": true,
                 "messages": [{"role": "user", "content": "what is there to say of this"}]}""");
        long wholeNanos = System.nanoTime() - beginNanos;

        assertThat(response.headers().firstValue("x-simulated-by")).contains("inferwatch");
        assertThat(response.headers().firstValue("content-type")).contains("text/event-stream; charset=utf-8");
        // Without stages; one step of 2 ms and 13 prompt tokens of 1 us.
        assertThat(response.headers().firstValue("server-timing"))
                .contains(
                        "gateway;dur=0.000, authentication;dur=0.000, tokenize;dur=0.000, queue;dur=0.000, prefill;dur=2.013");
        List<JsonNode> chunks = chunks(response.body());
        assertThat(chunks).hasSize(1 + 7 + 1 + 1);
        assertThat(chunks.get(0).at("/choices/0/delta/role").asText()).isEqualTo("assistant");
        assertThat(chunks.subList(1, 8)).allSatisfy(chunk -> assertThat(
                        chunk.at("/choices/0/delta/content").asText())
                .isNotEmpty());
        assertThat(chunks.get(8).at("/choices/0/finish_reason").asText()).isEqualTo("length");
        assertThat(chunks.get(9).at("/choices").isEmpty()).isTrue();
        // "<|user|>" and the 28 characters and "<|assistant|>": 49 characters.
        assertThat(chunks.get(9).at("/usage/prompt_tokens").asInt()).isEqualTo(13);
        assertThat(chunks.get(9).at("/usage/completion_tokens").asInt()).isEqualTo(7);
        assertThat(response.body()).endsWith("data: [DONE]\n\n");

        JsonNode line = loggedLines(1).get(0);
        assertThat(line.get("id").asText()).isEqualTo(chunks.get(0).get("id").asText());
        assertThat(line.get("sentNanos")).hasSize(7);
        // Seven steps of two milliseconds at least, within what the client waited.
        assertThat(line.get("sentNanos").get(6).asLong()).isBetween(14_000_000L, wholeNanos);
        assertThat(line.get("endNanos").asLong()).isLessThanOrEqualTo(wholeNanos);
    }

    @Test
    void severalAnswersAreAllStreamedAndCounted() throws Exception {
        List<JsonNode> chunks = chunks(post("/v1/chat/completions", """
                {"stream": true, "n": 3, "max_tokens": 4, "ignore_eos": true, "stream_options": {"include_usage": true},
                 "messages": [{"role": "user", "content": "x"}]}""").body());

        Set<Integer> finished = new HashSet<>();
        int tokens = 0;
        for (JsonNode chunk : chunks) {
            if (chunk.at("/choices/0/delta/content").asText("").length() > 0) {
                tokens++;
            }
            if (chunk.at("/choices/0/finish_reason").isTextual()) {
                finished.add(chunk.at("/choices/0/index").asInt());
            }
        }
        assertThat(tokens).isEqualTo(12);
        assertThat(finished).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(chunks.get(chunks.size() - 1).at("/usage/completion_tokens").asInt())
                .isEqualTo(12);
    }

    @Test
    void aToolIsCalledWithArgumentsThatAreJson() throws Exception {
        String tools = """
                "tools": [{"type": "function", "function": {"name": "weather", "parameters": {}}}],
                "messages": [{"role": "user", "content": "x"}], "max_tokens": 6, "ignore_eos": true""";
        JsonNode whole =
                json.readTree(post("/v1/chat/completions", "{" + tools + "}").body());
        List<JsonNode> chunks = chunks(post("/v1/chat/completions", "{\"stream\": true, " + tools + "}")
                .body());

        JsonNode call = whole.at("/choices/0/message/tool_calls/0/function");
        assertThat(call.get("name").asText()).isEqualTo("weather");
        assertThat(json.readTree(call.get("arguments").asText()).get("text").asText())
                .isNotEmpty();
        assertThat(whole.at("/choices/0/finish_reason").asText()).isEqualTo("tool_calls");
        StringBuilder arguments = new StringBuilder();
        chunks.forEach(chunk -> arguments.append(
                chunk.at("/choices/0/delta/tool_calls/0/function/arguments").asText("")));
        assertThat(json.readTree(arguments.toString()).get("text").asText()).isNotEmpty();
    }

    @Test
    void aTextIsCompletedInOnePieceOrStreamed() throws Exception {
        JsonNode whole = json.readTree(post("/v1/completions", "{\"prompt\": \"once upon a time\", \"max_tokens\": 3}")
                .body());
        List<JsonNode> chunks = chunks(post("/v1/completions", """
                        {"prompt": "once upon a time", "max_tokens": 3, "stream": true,
                         "stream_options": {"include_usage": true, "continuous_usage_stats": true}}""").body());

        assertThat(whole.get("object").asText()).isEqualTo("text_completion");
        assertThat(whole.at("/choices/0/text").asText().split(" ", -1)).hasSize(3);
        assertThat(whole.at("/usage/total_tokens").asInt()).isEqualTo(4 + 3);
        assertThat(chunks.get(1).at("/usage/completion_tokens").asInt()).isEqualTo(2);
        assertThat(chunks.get(1).get("usage").has("prompt_tokens_details")).isFalse();
        assertThat(chunks.get(1).at("/choices/0/text").asText()).startsWith(" ");
    }

    @Test
    void theSameSeedGivesTheSameAnswersAndAnotherOthers() throws Exception {
        String body = "{\"prompt\": \"x\", \"max_tokens\": 20}";
        String first = post("/v1/completions", body).body();
        assertThat(post("/v1/completions", body).body()).isNotEqualTo(first);
        server.close();
        server = SimulationServer.start(SimulationSettings.of(SPEC));

        assertThat(text(post("/v1/completions", body).body())).isEqualTo(text(first));
    }

    @Test
    void whatCannotBeTakenIsRefusedWithItsReason() throws Exception {
        assertRefused("/v1/completions", "nonsense", 400, "body: must be JSON");
        assertRefused("/v1/completions", "{\"prompt\": [1, 2]}", 400, "prompt: must be one text");
        assertRefused("/v1/chat/completions", "{\"messages\": []}", 400, "messages: must be a list");
        assertRefused(
                "/v1/completions",
                "{\"prompt\": \"x\", \"max_tokens\": 0}",
                400,
                "max_tokens: must be a whole number of at least 1, found 0");
        assertRefused(
                "/v1/completions",
                "{\"prompt\": \"x\", \"model\": \"other\"}",
                404,
                "The model `other` does not exist.");
        assertRefused("/v1/nothing", "{}", 404, "/v1/nothing is not served");
        assertRefused(
                "/simulation/faults",
                "{\"error-burst\": 2}",
                400,
                "severity of error-burst: must be from 0.0 to 1.0, found 2.0");
        assertRefused("/simulation/faults", "{\"flood\": 2}", 400, "fault: must be one of slow-node, throttled-gpu");
    }

    @Test
    void itTellsWhatItIs() throws Exception {
        assertThat(get("/health").statusCode()).isEqualTo(200);
        JsonNode version = json.readTree(get("/version").body());
        assertThat(version.get("simulated").asBoolean()).isTrue();
        assertThat(version.get("version").asText()).isEqualTo("v1");
        assertThat(json.readTree(get("/v1/models").body()).at("/data/0/id").asText())
                .isEqualTo("sim");
    }

    @Test
    void theMetricsPageAgreesWithWhatWasServed() throws Exception {
        for (int i = 0; i < 4; i++) {
            post(
                    "/v1/completions",
                    "{\"prompt\": \"%s\", \"max_tokens\": 5, \"ignore_eos\": true}".formatted("abcdefgh".repeat(20)));
        }
        post("/v1/completions", "{\"prompt\": \"x\", \"max_tokens\": 1000}");
        String page = get("/metrics").body();

        assertThat(value(page, "vllm:request_success_total", "finished_reason=\"length\""))
                .isEqualTo(4);
        assertThat(value(page, "vllm:request_success_total", "finished_reason=\"stop\""))
                .isEqualTo(1);
        assertThat(value(page, "vllm:prompt_tokens_total", "")).isEqualTo(4 * 40 + 1);
        // Two full blocks of sixteen tokens are found by all but the first.
        assertThat(value(page, "vllm:prefix_cache_hits_total", "")).isEqualTo(3 * 32);
        assertThat(value(page, "vllm:time_to_first_token_seconds_count", "")).isEqualTo(5);
        assertThat(value(page, "vllm:request_generation_tokens_sum", ""))
                .isEqualTo(value(page, "vllm:generation_tokens_total", ""));
        assertThat(value(page, "vllm:inter_token_latency_seconds_count", ""))
                .isEqualTo(value(page, "vllm:generation_tokens_total", "") - 5);
        assertThat(value(page, "vllm:num_requests_running", "")).isZero();
        assertThat(value(page, "inferwatch_simulation_lateness_seconds_count", ""))
                .isPositive();
        assertThat(value(page, "vllm:cache_config_info", "block_size=\"16\",num_gpu_blocks=\"25600\""))
                .isEqualTo(1);
        assertThat(page.lines().filter(line -> line.startsWith("# HELP")))
                .allMatch(line -> line.contains("Simulated:"));
        assertThat(page)
                .contains("vllm:time_to_first_token_seconds_bucket{engine=\"0\",model_name=\"sim\",le=\"0.001\"}");
    }

    @Test
    void faultsAreSwitchedOnAndOffWhileItRuns() throws Exception {
        assertThat(json.readTree(post("/simulation/faults", "{\"error-burst\": 1, \"slower-version\": true}")
                        .body()))
                .isEqualTo(json.readTree("{\"error-burst\": 1.0, \"slower-version\": 1.25}"));
        assertThat(json.readTree(get("/version").body()).get("version").asText())
                .isEqualTo("v2");
        int refused = 0;
        int broken = 0;
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> response = post("/v1/completions", """
                    {"prompt": "x", "stream": true, "max_tokens": 50, "ignore_eos": true}""");
            if (response.statusCode() == 500) {
                refused++;
            } else {
                assertThat(response.body())
                        .contains("data: {\"error\":{\"message\":\"simulated failure of the engine\"")
                        .endsWith("data: [DONE]\n\n");
                broken++;
            }
        }
        assertThat(refused + broken).isEqualTo(20);
        assertThat(refused).isPositive();
        assertThat(broken).isPositive();

        assertThat(post("/simulation/faults", "{\"error-burst\": null, \"slower-version\": false}")
                        .body())
                .isEqualTo("{}");
        assertThat(post("/v1/completions", "{\"prompt\": \"x\", \"max_tokens\": 3}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aClientThatGoesAwayCancelsItsRequest() throws Exception {
        post("/simulation/faults", "{\"hanging-requests\": 1}");
        String body = "{\"prompt\": \"x\"}";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write(("POST /v1/completions HTTP/1.1\r\nHost: x\r\nx-request-id: gone\r\nContent-Length: "
                                    + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.UTF_8));
            await().until(() -> value(get("/metrics").body(), "vllm:request_params_n_count", "") == 1);
        }

        await().until(() ->
                value(get("/metrics").body(), "vllm:request_success_total", "finished_reason=\"abort\"") == 1);
        JsonNode line = loggedLines(1).get(0);
        assertThat(line.get("requestId").asText()).isEqualTo("gone");
        assertThat(line.at("/choices/0/ending").asText()).isEqualTo("CANCELLED");
    }

    @Test
    void aPortThatIsTakenIsSaidSo() {
        SimulationSettings same = SimulationSettings.of(SPEC).at("127.0.0.1", server.port());

        assertThatThrownBy(() -> SimulationServer.start(same))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(
                        "host, port: must be an address that is free on this host, found 127.0.0.1:" + server.port());
    }

    private void assertRefused(String path, String body, int status, String reason) throws Exception {
        HttpResponse<String> response = post(path, body);
        assertThat(response.statusCode()).as(body).isEqualTo(status);
        assertThat(json.readTree(response.body()).at("/error/message").asText()).startsWith(reason);
    }

    private String text(String body) throws IOException {
        return json.readTree(body).at("/choices/0/text").asText();
    }

    private List<JsonNode> chunks(String stream) throws IOException {
        List<JsonNode> chunks = new ArrayList<>();
        for (String event : stream.split("\n\n", -1)) {
            if (event.startsWith("data: {")) {
                chunks.add(json.readTree(event.substring("data: ".length())));
            }
        }
        return chunks;
    }

    private List<JsonNode> loggedLines(int count) {
        await().until(() -> Files.readAllLines(log).size() >= count);
        List<JsonNode> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(log)) {
                lines.add(json.readTree(line));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return lines;
    }

    private static double value(String page, String name, String labels) {
        Matcher matcher = Pattern.compile("(?m)^" + Pattern.quote(name) + "\\{engine=\"0\",model_name=\"sim\",?"
                        + Pattern.quote(labels) + "[^}]*\\} (\\S+)$")
                .matcher(page);
        assertThat(matcher.find()).as(name + labels).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(server.url() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
