package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.EventList;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded stream, cut anywhere, is the same with and without the proxy, and its event says what it is. */
class RecordedStreamsIT {
    private static final long SEED = 5;
    private static final Map<String, Outcome> OUTCOMES = Map.of(
            "chat-continuous-usage", Outcome.LENGTH, "completions", Outcome.LENGTH, "chat-error", Outcome.INBAND_ERROR);
    private static final Map<String, Long> OUTPUT_TOKENS = Map.ofEntries(
            Map.entry("chat", 7L),
            Map.entry("chat-continuous-usage", 6L),
            Map.entry("chat-two-choices", 4L),
            Map.entry("chat-reasoning", 3L),
            Map.entry("chat-tools", 4L),
            Map.entry("chat-error", 1L),
            Map.entry("chat-crlf", 2L),
            Map.entry("completions", 3L),
            Map.entry("responses", 2L),
            Map.entry("messages", 3L),
            Map.entry("tgi", 2L),
            Map.entry("sglang", 2L),
            Map.entry("triton", 2L));

    @TempDir
    private Path directory;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final EventList publisher = new EventList();
    private ScriptedUpstream upstream;
    private ProxyProbe probe;

    @BeforeEach
    void start() {
        upstream = new ScriptedUpstream((request, connection) -> {
            stream(request.bodyText(), connection.getOutputStream());
            return true;
        });
        probe = Probes.start(upstream.uri(), publisher, directory);
    }

    @AfterEach
    void stop() throws IOException {
        probe.close();
        upstream.close();
    }

    static List<String> names() {
        return RecordedStreams.names();
    }

    @ParameterizedTest(name = "{0}, seed " + SEED)
    @MethodSource("names")
    void isTheSameThroughTheProxy(String name) throws IOException {
        String expected = new String(RecordedStreams.read(name), StandardCharsets.UTF_8);
        try (RawClient direct = new RawClient(upstream.port());
                RawClient through = new RawClient(probe.port())) {
            List<String> directHead =
                    direct.post(RecordedStreams.PATHS.get(name), name).head();
            assertThat(direct.chunkedBody()).isEqualTo(expected);
            assertThat(through.post(RecordedStreams.PATHS.get(name), name).head())
                    .isEqualTo(directHead);
            assertThat(through.chunkedBytes()).isEqualTo(RecordedStreams.read(name));
        }
        RequestEvent event = Probes.event(publisher);
        assertThat(event.getOutcome()).isEqualTo(OUTCOMES.getOrDefault(name, Outcome.OK));
        assertThat(event.getOutputTokens()).isEqualTo(OUTPUT_TOKENS.get(name));
    }

    @Test
    void noEventHoldsAWordOfPromptOrAnswer() throws IOException {
        List<String> words =
                List.of("answer", "Ulm", "weather", "call_1", "Hello", "there", "engine died", "half", "sekrit");
        try (RawClient client = new RawClient(probe.port())) {
            for (String name : names()) {
                client.send("POST " + RecordedStreams.PATHS.get(name)
                        + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sekrit\r\nX-Tenant-Id: sekrit\r\nContent-Length: "
                        + name.length()
                        + "\r\n\r\n" + name);
                client.head();
                client.chunkedBody();
            }
        }
        for (RequestEvent event : Probes.events(publisher, names().size())) {
            assertThat(event.toString()).doesNotContain(words.toArray(String[]::new));
        }
    }

    /** Cuts the stream into chunks, and the chunks into writes, wherever chance has it. */
    private void stream(String name, OutputStream out) throws IOException {
        byte[] bytes = RecordedStreams.read(name);
        ScriptedUpstream.write(
                out,
                "HTTP/1.1 200 OK\r\nServer: test\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n");
        int at = 0;
        while (at < bytes.length) {
            int length;
            synchronized (random) {
                length = Math.min(bytes.length - at, 1 + random.nextInt(120));
            }
            ScriptedUpstream.write(out, Integer.toHexString(length) + "\r\n");
            out.write(bytes, at, length);
            ScriptedUpstream.write(out, "\r\n");
            at += length;
        }
        ScriptedUpstream.write(out, "0\r\n\r\n");
    }
}
