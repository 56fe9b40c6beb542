package io.inferwatch.probes.load;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Bodies of requests: streamed, with the counts of tokens at the end, and as long an answer as was planned, whatever the model would like. */
final class RequestBodies {
    private static final String STREAMED =
            ",\"ignore_eos\":true,\"stream\":true,\"stream_options\":{\"include_usage\":true}}";

    private final Api api;
    private final String begin;

    RequestBodies(Target target) {
        this.api = target.api();
        this.begin = target.model()
                .map(model -> "{\"model\":\""
                        + new String(JsonStringEncoder.getInstance().quoteAsString(model)) + "\",")
                .orElse("{");
    }

    byte[] of(PlannedRequest request) {
        Text text = new Text(begin.length() + STREAMED.length() + 100 + length(request.messages()));
        text.add(begin);
        if (api == Api.CHAT) {
            text.add("\"messages\":[");
            for (int i = 0; i < request.messages().size(); i++) {
                Message message = request.messages().get(i);
                text.add(i == 0 ? "{\"role\":\"" : ",{\"role\":\"");
                text.add(message.role() == Message.Role.USER ? "user" : "assistant");
                text.add("\",\"content\":\"");
                message.pieces().forEach(text::add);
                text.add("\"}");
            }
            text.add("]");
        } else {
            text.add("\"prompt\":\"");
            request.messages().forEach(message -> message.pieces().forEach(text::add));
            text.add("\"");
        }
        text.add(",\"max_tokens\":" + request.answerTokens());
        text.add(STREAMED);
        return text.bytes();
    }

    private static int length(List<Message> messages) {
        return messages.stream()
                .mapToInt(message ->
                        50 + message.pieces().stream().mapToInt(Piece::length).sum())
                .sum();
    }

    /** Bytes in one array; room is made as needed. */
    private static final class Text {
        private byte[] bytes;
        private int length;

        Text(int expected) {
            bytes = new byte[expected];
        }

        void add(String text) {
            byte[] added = text.getBytes(StandardCharsets.UTF_8);
            require(added.length);
            System.arraycopy(added, 0, bytes, length, added.length);
            length += added.length;
        }

        void add(Piece piece) {
            require(piece.length());
            length = piece.write(bytes, length);
        }

        byte[] bytes() {
            return Arrays.copyOf(bytes, length);
        }

        private void require(int more) {
            if (length + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
            }
        }
    }
}
