package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tokens of a request, as the interface reports them. */
record Usage(int promptTokens, int cachedTokens, int completionTokens) {
    ObjectNode json() {
        ObjectNode usage = JsonNodeFactory.instance.objectNode();
        usage.put("prompt_tokens", promptTokens);
        usage.put("total_tokens", promptTokens + completionTokens);
        usage.put("completion_tokens", completionTokens);
        usage.putObject("prompt_tokens_details").put("cached_tokens", cachedTokens);
        return usage;
    }
}
