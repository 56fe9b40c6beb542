package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import io.inferwatch.probes.EventList;
import io.inferwatch.schemas.Outcome;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that nobody changed see through the proxy what they see without it. */
class RealClientsIT {
    private static final String NPM_PACKAGE = "openai@7.59.0";
    private static final String SCRIPT = """
            import OpenAI from 'openai';
            const client = new OpenAI({baseURL: process.argv[2] + '/v1', apiKey: 'sekrit', maxRetries: 0});
            const messages = [{role: 'user', content: 'hello'}];
            const show = value => console.log(JSON.stringify(value));
            for (const model of ['chat', 'chat-tools', 'chat-two-choices', 'chat-continuous-usage', 'chat-reasoning']) {
              const stream = await client.chat.completions.create({model, messages, stream: true, n: model.includes('two') ? 2 : 1,
                stream_options: {include_usage: true}});
              for await (const chunk of stream) show(chunk);
            }
            try {
              const stream = await client.chat.completions.create({model: 'chat-error', messages, stream: true});
              for await (const chunk of stream) show(chunk);
            } catch (error) {
              show({error: error.message});
            }
            show(await client.chat.completions.create({model: 'whole', messages}));
            const aborted = await client.chat.completions.create({model: 'endless', messages, stream: true});
            for await (const chunk of aborted) {
              show(chunk);
              aborted.controller.abort();
              break;
            }
            show('end');
            process.exit(0);
            """;
    private static final List<String> STREAMS =
            List.of("chat", "chat-tools", "chat-two-choices", "chat-continuous-usage", "chat-reasoning");
    private static final String WHOLE =
            "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"whole\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}}";
    private static final String ENDLESS =
            "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"endless\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";

    @TempDir
    private Path directory;

    private final EventList publisher = new EventList();
    private final ScriptedUpstream upstream = new ScriptedUpstream(RealClientsIT::answer);
    private ProxyProbe probe;

    @BeforeEach
    void start() {
        probe = Probes.start(upstream.uri(), publisher, directory);
    }

    @AfterEach
    void stop() throws IOException {
        probe.close();
        upstream.close();
    }

    @Test
    void theOpenAiPackageOfNpm() throws IOException, InterruptedException {
        assumeOrFail("node");
        assumeOrFail("npm");
        run(directory, "npm", "install", "--no-audit", "--no-fund", "--silent", NPM_PACKAGE);
        Path script = Files.writeString(directory.resolve("client.mjs"), SCRIPT);
        String direct = run(directory, "node", script.toString(), upstream.uri().toString());
        String through = run(directory, "node", script.toString(), "http://127.0.0.1:" + probe.port());
        assertThat(through).isEqualTo(direct).contains("\"😀\"").endsWith("\"end\"\n");
        assertThat(direct.lines().count()).isGreaterThan(25);
        await().until(() -> publisher.events().size() == 8);
        assertThat(publisher.events())
                .extracting(event -> event.getModel() + " " + event.getOutcome())
                .containsExactlyInAnyOrder(
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.LENGTH,
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.INBAND_ERROR,
                        "whole " + Outcome.OK,
                        "endless " + Outcome.CLIENT_CANCEL);
    }

    @Test
    void theOpenAiClientForJava() {
        List<String> direct = seenByJava(upstream.uri().toString());
        List<String> through = seenByJava("http://127.0.0.1:" + probe.port());
        assertThat(through).isEqualTo(direct);
        assertThat(direct).hasSizeGreaterThan(25).anyMatch(chunk -> chunk.contains("😀"));
        await().until(() -> publisher.events().size() == 7);
        assertThat(publisher.events())
                .extracting(event -> event.getModel() + " " + event.getOutcome())
                .containsExactlyInAnyOrder(
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.OK,
                        "llama-3-8b " + Outcome.LENGTH,
                        "llama-3-8b " + Outcome.OK,
                        "whole " + Outcome.OK,
                        "endless " + Outcome.CLIENT_CANCEL);
    }

    private static List<String> seenByJava(String url) {
        List<String> seen = new ArrayList<>();
        OpenAIClient client = OpenAIOkHttpClient.builder()
                .baseUrl(url + "/v1")
                .apiKey("sekrit")
                .maxRetries(0)
                .build();
        try {
            for (String model : STREAMS) {
                try (StreamResponse<ChatCompletionChunk> answer =
                        client.chat().completions().createStreaming(javaRequest(model))) {
                    answer.stream().map(Object::toString).forEach(seen::add);
                }
            }
            seen.add(client.chat().completions().create(javaRequest("whole")).toString());
            try (StreamResponse<ChatCompletionChunk> aborted =
                    client.chat().completions().createStreaming(javaRequest("endless"))) {
                seen.add(aborted.stream().findFirst().map(Object::toString).orElse("nothing"));
            }
            return seen;
        } finally {
            client.close();
        }
    }

    private static ChatCompletionCreateParams javaRequest(String model) {
        ChatCompletionCreateParams.Builder request =
                ChatCompletionCreateParams.builder().model(model).addUserMessage("hello");
        if (STREAMS.contains(model)) {
            request.n(model.contains("two") ? 2 : 1)
                    .streamOptions(ChatCompletionStreamOptions.builder()
                            .includeUsage(true)
                            .build());
        }
        return request.build();
    }

    @Test
    void curlWithoutBuffering() throws IOException, InterruptedException {
        assumeOrFail("curl");
        for (String model : List.of("chat", "chat-crlf", "chat-tools")) {
            List<String> outputs = new ArrayList<>();
            for (int port : new int[] {upstream.port(), probe.port()}) {
                outputs.add(run(
                        directory,
                        "curl",
                        "-sN",
                        "-H",
                        "Content-Type: application/json",
                        "-d",
                        "{\"model\":\"" + model + "\",\"stream\":true}",
                        "http://127.0.0.1:" + port + "/v1/chat/completions"));
            }
            assertThat(outputs.get(1))
                    .isEqualTo(outputs.get(0))
                    .isEqualTo(new String(RecordedStreams.read(model), StandardCharsets.UTF_8));
        }
        assertThat(Probes.events(publisher, 3)).allMatch(event -> event.getOutcome() == Outcome.OK);
    }

    @Test
    void curlWithHttp2() throws IOException, InterruptedException {
        assumeOrFail("curl");
        for (String model : List.of("chat", "chat-crlf", "chat-tools")) {
            String output = run(
                    directory,
                    "curl",
                    "-sN",
                    "--http2-prior-knowledge",
                    "-d",
                    "{\"model\":\"" + model + "\",\"stream\":true}",
                    "http://127.0.0.1:" + probe.port() + "/v1/chat/completions");
            assertThat(output).isEqualTo(new String(RecordedStreams.read(model), StandardCharsets.UTF_8));
        }
        assertThat(Probes.events(publisher, 3))
                .allMatch(event -> event.getOutcome() == Outcome.OK
                        && event.getHttpVersion().equals("2"));
    }

    private static boolean answer(ScriptedUpstream.Request request, Socket connection) throws IOException {
        String model = request.bodyText().replaceFirst("(?s).*\"model\":\"([^\"]+)\".*", "$1");
        if (model.equals("whole")) {
            ScriptedUpstream.write(
                    connection.getOutputStream(),
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + WHOLE.length()
                            + "\r\n\r\n" + WHOLE);
            return true;
        }
        boolean isEndless = model.equals("endless");
        byte[] body = isEndless ? ENDLESS.getBytes(StandardCharsets.UTF_8) : RecordedStreams.read(model);
        ScriptedUpstream.write(
                connection.getOutputStream(),
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + Integer.toHexString(body.length) + "\r\n");
        connection.getOutputStream().write(body);
        if (isEndless) {
            ScriptedUpstream.write(connection.getOutputStream(), "\r\n");
            // Until the client goes away.
            return connection.getInputStream().read() >= 0;
        }
        ScriptedUpstream.write(connection.getOutputStream(), "\r\n0\r\n\r\n");
        return true;
    }

    /** What is missing skips the test, or fails it where everything must be there. */
    private static void assumeOrFail(String program) {
        boolean isThere = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(isThere).as(program + " must be on the PATH").isTrue();
        }
        assumeTrue(isThere, program + " is not on the PATH");
    }

    private static String run(Path directory, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(command[0]).isTrue();
            String text = Files.readString(output);
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }
}
