package io.inferwatch.simulation.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a client asks of one of the generating interfaces, as far as the simulation heeds it.
 *
 * @param prompt text that stands for the prompt, roles and tools included
 * @param maxTokens the client's limit of the answer
 * @param ignoresEnd whether the answer is as long as the limit, whatever it would be by itself
 * @param choices how many answers
 * @param includesUsage whether a stream ends with a usage chunk
 * @param continuousUsage whether every chunk of a stream carries the usage so far
 * @param tool the tool that is called instead of an answer in words
 */
record GenerationRequest(
        Api api,
        Optional<String> model,
        String prompt,
        OptionalInt maxTokens,
        boolean ignoresEnd,
        int choices,
        boolean isStreamed,
        boolean includesUsage,
        boolean continuousUsage,
        Optional<String> tool) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_CHOICES = 128;

    static GenerationRequest parse(Api api, String body) throws BadRequestException {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw BadRequestException.because("body: must be JSON, found " + e.getOriginalMessage());
        }
        if (!root.isObject()) {
            throw BadRequestException.because("body: must be a JSON object");
        }
        JsonNode streamOptions = root.path("stream_options");
        boolean includesUsage = streamOptions.path("include_usage").asBoolean(false);
        OptionalInt maxTokens = positive(root, "max_completion_tokens");
        return new GenerationRequest(
                api,
                text(root, "model"),
                api == Api.CHAT ? chatPrompt(root) : completionPrompt(root),
                maxTokens.isPresent() ? maxTokens : positive(root, "max_tokens"),
                root.path("ignore_eos").asBoolean(false),
                choices(root),
                root.path("stream").asBoolean(false),
                includesUsage,
                includesUsage && streamOptions.path("continuous_usage_stats").asBoolean(false),
                tool(api, root));
    }

    private static String chatPrompt(JsonNode root) throws BadRequestException {
        JsonNode messages = root.path("messages");
        if (!messages.isArray() || messages.isEmpty()) {
            throw BadRequestException.because("messages: must be a list of at least one message");
        }
        StringBuilder prompt = new StringBuilder();
        for (JsonNode tool : root.path("tools")) {
            prompt.append(tool);
        }
        for (JsonNode message : messages) {
            prompt.append("<|").append(message.path("role").asText("user")).append("|>");
            JsonNode content = message.path("content");
            if (content.isArray()) {
                content.forEach(part -> prompt.append(part.path("text").asText("")));
            } else {
                prompt.append(content.asText(""));
            }
        }
        return prompt.append("<|assistant|>").toString();
    }

    private static String completionPrompt(JsonNode root) throws BadRequestException {
        JsonNode prompt = root.path("prompt");
        if (!prompt.isTextual()) {
            throw BadRequestException.because("prompt: must be one text, for the simulation takes no lists of them");
        }
        return prompt.asText();
    }

    private static int choices(JsonNode root) throws BadRequestException {
        int choices = positive(root, "n").orElse(1);
        if (choices > MOST_CHOICES) {
            throw BadRequestException.because("n: must be at most " + MOST_CHOICES + ", found " + choices);
        }
        return choices;
    }

    /** The tool that the client names, else its first one. */
    private static Optional<String> tool(Api api, JsonNode root) {
        JsonNode choice = root.path("tool_choice");
        if (api != Api.CHAT || choice.asText("").equals("none")) {
            return Optional.empty();
        }
        String named = choice.path("function").path("name").asText("");
        String first = root.path("tools").path(0).path("function").path("name").asText("");
        return Optional.of(named.isEmpty() ? first : named).filter(name -> !name.isEmpty());
    }

    private static Optional<String> text(JsonNode root, String field) throws BadRequestException {
        JsonNode value = root.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw BadRequestException.because(field + ": must be a text, found " + value);
        }
        return Optional.of(value.asText());
    }

    private static OptionalInt positive(JsonNode root, String field) throws BadRequestException {
        JsonNode value = root.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return OptionalInt.empty();
        }
        if (!value.canConvertToInt() || value.asInt() < 1) {
            throw BadRequestException.because(field + ": must be a whole number of at least 1, found " + value);
        }
        return OptionalInt.of(value.asInt());
    }
}
