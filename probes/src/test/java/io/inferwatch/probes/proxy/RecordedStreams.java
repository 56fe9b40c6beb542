package io.inferwatch.probes.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Streams in the forms that servers send them, each with the path that it answers. */
final class RecordedStreams {
    static final Map<String, String> PATHS = Map.ofEntries(
            Map.entry("chat", "/v1/chat/completions"),
            Map.entry("chat-continuous-usage", "/v1/chat/completions"),
            Map.entry("chat-two-choices", "/v1/chat/completions"),
            Map.entry("chat-reasoning", "/v1/chat/completions"),
            Map.entry("chat-tools", "/v1/chat/completions"),
            Map.entry("chat-error", "/v1/chat/completions"),
            Map.entry("chat-crlf", "/v1/chat/completions"),
            Map.entry("completions", "/v1/completions"),
            Map.entry("responses", "/v1/responses"),
            Map.entry("messages", "/v1/messages"),
            Map.entry("tgi", "/generate_stream"),
            Map.entry("sglang", "/generate"),
            Map.entry("triton", "/v2/models/ensemble/generate_stream"));

    private RecordedStreams() {}

    static List<String> names() {
        return PATHS.keySet().stream().sorted().toList();
    }

    static byte[] read(String name) {
        try (InputStream in = RecordedStreams.class.getResourceAsStream("streams/" + name + ".sse")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
