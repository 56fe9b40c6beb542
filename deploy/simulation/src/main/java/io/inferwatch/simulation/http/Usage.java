package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalInt;

/**
 * Tokens of a request, as the interface reports them.
 *
 * @param cachedTokens of the prompt; told at the end only
 */
record Usage(int promptTokens, OptionalInt cachedTokens, int completionTokens) {
    ObjectNode json() {
        ObjectNode usage = JsonNodeFactory.instance.objectNode();
        usage.put("prompt_tokens", promptTokens);
        usage.put("total_tokens", promptTokens + completionTokens);
        usage.put("completion_tokens", completionTokens);
        cachedTokens.ifPresent(
                cached -> usage.putObject("prompt_tokens_details").put("cached_tokens", cached));
        return usage;
    }
}
