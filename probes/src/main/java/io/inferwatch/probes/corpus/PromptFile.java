package io.inferwatch.probes.corpus;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.probes.replay.TraceFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The prompts of a file, plain or gzip: of JSON lines what the user said, in the fields that logs and published sets of prompts have; of text each paragraph.
 *
 * @param field that holds the prompt; empty for the usual ones
 */
record PromptFile(Path path, Optional<String> field) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> LINES = List.of(".jsonl", ".ndjson");
    private static final List<String> TEXT = List.of(".txt", ".md");
    private static final List<String> FIELDS = List.of("prompt", "text", "question", "query", "input", "content");
    private static final List<String> PEOPLE = List.of("user", "human");

    /** Who gets the prompts. */
    interface Listener {
        void prompt(String text);

        /** A line that is no object, or an object without a prompt. */
        void unreadable();
    }

    /** Whether a file is of a kind that holds prompts, by its name. */
    static boolean isOne(Path path) {
        return isOf(path, LINES) || isOf(path, TEXT);
    }

    private static boolean isOf(Path path, List<String> endings) {
        String name = path.toString().replaceFirst("\\.gz$", "");
        return endings.stream().anyMatch(name::endsWith);
    }

    /**
     * Hands over the prompts in order.
     *
     * @throws io.inferwatch.probes.replay.BadTraceException when it cannot be read
     */
    void read(Listener listener) {
        long[] line = new long[1];
        boolean isText = isOf(path, TEXT);
        TraceFile.read(path, () -> line[0], reader -> {
            StringBuilder paragraph = new StringBuilder();
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line[0]++;
                if (!isText && !text.isBlank()) {
                    prompt(text).ifPresentOrElse(listener::prompt, listener::unreadable);
                } else if (isText && !text.isBlank()) {
                    paragraph.append(paragraph.isEmpty() ? "" : "\n").append(text);
                } else {
                    hand(paragraph, listener);
                }
            }
            hand(paragraph, listener);
        });
    }

    private static void hand(StringBuilder paragraph, Listener listener) {
        if (!paragraph.isEmpty()) {
            listener.prompt(paragraph.toString());
            paragraph.setLength(0);
        }
    }

    private Optional<String> prompt(String line) {
        JsonNode node;
        try {
            node = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
        if (field.isPresent()) {
            return text(node.path(field.get()));
        }
        List<String> said = new ArrayList<>();
        node.path("messages").forEach(message -> {
            if (PEOPLE.contains(message.path("role").asText())) {
                text(message.path("content")).ifPresent(said::add);
            }
        });
        node.path("conversations").forEach(message -> {
            if (PEOPLE.contains(message.path("from").asText())) {
                text(message.path("value")).ifPresent(said::add);
            }
        });
        if (said.isEmpty()) {
            text(node.path("instruction")).ifPresent(instruction -> {
                said.add(instruction);
                text(node.path("input")).ifPresent(said::add);
            });
        }
        return said.isEmpty()
                ? FIELDS.stream()
                        .flatMap(name -> text(node.path(name)).stream())
                        .findFirst()
                : Optional.of(String.join("\n\n", said));
    }

    /** A text, or the texts of parts of which some may be images. */
    private static Optional<String> text(JsonNode value) {
        String text = value.isArray()
                ? StreamSupport.stream(value.spliterator(), false)
                        .map(part -> part.path("text").asText())
                        .filter(part -> !part.isBlank())
                        .collect(Collectors.joining("\n"))
                : value.isTextual() ? value.asText() : "";
        return text.isBlank() ? Optional.empty() : Optional.of(text.strip());
    }
}
