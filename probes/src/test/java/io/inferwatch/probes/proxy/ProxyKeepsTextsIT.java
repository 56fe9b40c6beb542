package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.ProbeProcess;
import io.inferwatch.probes.RequestsTopic;
import io.inferwatch.probes.Secret;
import io.inferwatch.servers.KafkaBroker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No text of prompts, answers, tools or credentials is in anything that the proxy writes: events, spool, metrics, and its log when it says most. */
class ProxyKeepsTextsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern STARTED =
            Pattern.compile("replica .*: .*:(?<clients>\\d+) -> .*, admin on .*:(?<admin>\\d+)");
    private static final String CONTROL = "request-to-be-seen";

    /** Request and answer; every {@code $place} becomes a secret of that place. */
    private record Exchange(String path, String ask, String answer) {}

    private static final String EVENTS = """
            HTTP/1.1 200 OK
            Content-Type: text/event-stream
            Set-Cookie: a=$set-cookie
            X-Anything: $answer-header

            """.replace("\n", "\r\n");
    private static final String JSON = "\r\nContent-Type: application/json\r\n\r\n";

    private static final List<Exchange> EXCHANGES = List.of(
            new Exchange("/v1/chat/completions?key=$query", """
                    {"model":"m","stream":true,"user":"$user","stop":["$stop"],"metadata":{"a":"$metadata"},
                     "messages":[{"role":"system","content":"$system"},
                      {"role":"user","name":"$name","content":[{"type":"text","text":"$content-part"},
                       {"type":"image_url","image_url":{"url":"https://x/$image"}}]},
                      {"role":"assistant","tool_calls":[{"id":"c","type":"function",
                       "function":{"name":"f","arguments":"{\\"a\\":\\"$asked-arguments\\"}"}}]},
                      {"role":"tool","tool_call_id":"c","content":"$tool-result"}],
                     "tools":[{"type":"function","function":{"name":"$tool","description":"$tool-description"}}]}""", EVENTS + """
                    : $comment

                    id: $event-id
                    data: {"id":"a","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"$token"}}]}

                    data: {"choices":[{"index":0,"delta":{"reasoning_content":"$reasoning"}}]}

                    data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"$called","arguments":"$arguments"}}]}}]}

                    data: {"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"$logprob"}]}}]}

                    data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}

                    data: [DONE]

                    """),
            new Exchange(
                    "/v1/chat/completions",
                    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$whole\"}]}",
                    """
                    HTTP/1.1 200 OK%s{"id":"b","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"$whole-answer",
                     "refusal":"$refusal"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}""".formatted(JSON)),
            new Exchange("/v1/completions", "{\"model\":\"m\",\"stream\":true,\"prompt\":\"$prompt\"}", EVENTS + """
                    data: {"choices":[{"index":0,"text":"$text"}]}

                    data: {"error":{"message":"$error-event","type":"server_error","code":500}}

                    """),
            new Exchange("/v1/chat/completions", "{\"model\":\"m\",\"messages\":[]}", """
                    HTTP/1.1 400 Bad Request%s{"error":{"message":"$error-message","type":"invalid_request_error","param":"$parameter"}}""".formatted(JSON)),
            new Exchange(
                    "/v1/messages",
                    "{\"model\":\"m\",\"stream\":true,\"system\":\"$claude-system\","
                            + "\"messages\":[{\"role\":\"user\",\"content\":\"$claude-prompt\"}]}",
                    EVENTS + """
                    event: message_start
                    data: {"type":"message_start","message":{"id":"d","model":"m","usage":{"input_tokens":3,"output_tokens":1}}}

                    event: content_block_delta
                    data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"$thinking"}}

                    event: content_block_delta
                    data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"$claude-text"}}

                    event: content_block_delta
                    data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"$partial-json"}}

                    event: message_delta
                    data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":"$stop-sequence"},"usage":{"output_tokens":4}}

                    event: message_stop
                    data: {"type":"message_stop"}

                    """),
            new Exchange(
                    "/v1/responses",
                    "{\"model\":\"m\",\"stream\":true,\"instructions\":\"$instructions\",\"input\":\"$input\"}",
                    EVENTS + """
                    event: response.output_text.delta
                    data: {"type":"response.output_text.delta","delta":"$response-delta"}

                    event: response.completed
                    data: {"type":"response.completed","response":{"id":"e","model":"m","output":[{"text":"$response-text"}],"usage":{"input_tokens":3,"output_tokens":4}}}

                    """),
            new Exchange(
                    "/generate",
                    "{\"inputs\":\"$inputs\"}",
                    "HTTP/1.1 200 OK" + JSON + "{\"generated_text\":\"$generated\"}"),
            new Exchange(
                    "/v1/embeddings",
                    "{\"model\":\"m\",\"input\":[\"$embedded\"]}",
                    "HTTP/1.1 200 OK" + JSON + "{\"data\":[]}"),
            new Exchange(
                    "/v1/chat/completions",
                    "{\"model\":\"m\",\"messages\":[{\"content\":\"$cut",
                    "HTTP/1.1 200 OK" + JSON + "{\"choices\":[{\"message\":{\"content\":\"$cut-answer"),
            new Exchange(
                    "/v1/chat/completions",
                    "$no-json",
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip" + JSON + "$no-gzip"),
            new Exchange("/v1/chat/completions", "{}", "$no-http\r\n\r\n"));

    @TempDir
    private Path directory;

    @Test
    void noTextIsInAnythingThatTheProxyWrites() throws Exception {
        Path spool = directory.resolve("spool");
        Path config =
                Files.writeString(directory.resolve("proxy.yaml"), """
                identity: {salt-file: '%s'}
                spool: {directory: '%s'}
                """.formatted(directory.resolve("salt"), spool));
        try (KafkaBroker broker = KafkaBroker.start();
                ScriptedUpstream upstream = new ScriptedUpstream((request, connection) -> false)) {
            RequestsTopic.create(broker);
            try (ProbeProcess proxy = ProbeProcess.start(
                    directory.resolve("proxy.log"),
                    STARTED,
                    "debug",
                    List.of(
                            "proxy",
                            "--listen=0",
                            "--admin-listen=0",
                            "--replica=chat-0",
                            "--inject-usage",
                            "--upstream=" + upstream.uri(),
                            "--bootstrap-servers=" + broker.bootstrapServers(),
                            "--config=" + config))) {
                exchange(proxy, upstream);
                await().atMost(PATIENCE)
                        .until(() -> proxy.metric("inferwatch_probe_events_acknowledged_total") == EXCHANGES.size());
                Secret.assertNoneIn("Kafka", joined(RequestsTopic.encoded(broker)), CONTROL);
                assertThat(RequestsTopic.read(broker).events())
                        .hasSize(EXCHANGES.size())
                        .allSatisfy(event -> Secret.assertNoneIn(
                                "an event", event.toString().getBytes(StandardCharsets.UTF_8), CONTROL));

                broker.kill();
                exchange(proxy, upstream);
                await().atMost(PATIENCE)
                        .until(() -> proxy.metric("inferwatch_probe_events_in_spool") == EXCHANGES.size());
                Secret.assertNoneInFiles(spool, CONTROL);
                Secret.assertNoneIn(
                        "metrics",
                        proxy.metrics().getBytes(StandardCharsets.UTF_8),
                        "inferwatch_proxy_unmeasured_answers_total{reason=\"failed\"} 2.0");
                proxy.terminate();
                assertThat(proxy.exitStatus()).isEqualTo(ProbeProcess.ENDED_BY_SIGTERM);
                Secret.assertNoneIn("the log", proxy.output().getBytes(StandardCharsets.UTF_8), "debug: ");
            }
        }
    }

    /** Every exchange, with secrets on both sides; what the client got shows that they passed. */
    private static void exchange(ProbeProcess proxy, ScriptedUpstream upstream) throws IOException {
        for (Exchange exchange : EXCHANGES) {
            byte[] answer = secret(exchange.answer()).getBytes(StandardCharsets.UTF_8);
            upstream.script((request, connection) -> {
                connection.getOutputStream().write(answer);
                return false;
            });
            String ask = secret(exchange.ask());
            try (RawClient client = new RawClient(proxy.port("clients"))) {
                client.send(secret("POST " + exchange.path() + " HTTP/1.1\r\nHost: model\r\nX-Request-Id: " + CONTROL
                                + "\r\nAuthorization: Bearer $authorization\r\nX-Api-Key: $x-api-key\r\nCookie: c=$cookie\r\n"
                                + "X-Tenant-Id: $tenant\r\nX-Session-Id: $session\r\nX-Other: $header\r\n"
                                + "Baggage: user.name=$baggage,session.id=$baggage-session\r\nX-Turn: $turn\r\nConnection: close\r\nContent-Length: "
                                + ask.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n")
                        + ask);
                String got = new String(client.rest(), StandardCharsets.UTF_8);
                String body = secret(exchange.answer())
                        .substring(secret(exchange.answer()).indexOf("\r\n\r\n") + 4);
                assertThat(got).endsWith(body.isEmpty() ? "the upstream's answer cannot be read\n" : body);
            }
        }
        try (RawClient client = new RawClient(proxy.port("clients"))) {
            client.send(secret("$no-request\r\n\r\n"));
            assertThat(client.head().get(0)).isEqualTo("HTTP/1.1 400 Bad Request");
        }
    }

    private static String secret(String text) {
        return Pattern.compile("\\$([a-z0-9-]+)").matcher(text).replaceAll(place -> Secret.of(place.group(1)));
    }

    private static byte[] joined(List<byte[]> parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }
}
