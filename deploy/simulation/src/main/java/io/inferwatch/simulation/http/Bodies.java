package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/** The JSON of one answer, whole or in chunks, as vLLM writes it. */
final class Bodies {
    private static final String SYSTEM_FINGERPRINT = "inferwatch-simulation";

    private final Api api;
    private final String id;
    private final String model;
    private final long createdSeconds;
    private final Optional<String> tool;

    Bodies(Api api, String id, String model, long createdSeconds, Optional<String> tool) {
        this.api = api;
        this.id = id;
        this.model = model;
        this.createdSeconds = createdSeconds;
        this.tool = tool;
    }

    static ObjectNode error(int status, String type, String message) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ObjectNode error = body.putObject("error");
        error.put("message", message);
        error.put("type", type);
        error.putNull("param");
        error.put("code", status);
        return body;
    }

    /** The first chunk of a choice in a chat; it bears no token. */
    ObjectNode role(int choice) {
        ObjectNode chunk = chunk();
        ObjectNode delta = delta(chunk, choice);
        delta.put("role", "assistant");
        delta.put("content", "");
        return chunk;
    }

    ObjectNode token(int choice, int token, String text) {
        ObjectNode chunk = chunk();
        if (api == Api.COMPLETIONS) {
            choice(chunk, choice).put("text", text);
        } else if (tool.isPresent()) {
            ObjectNode call = delta(chunk, choice).putArray("tool_calls").addObject();
            call.put("index", 0);
            if (token == 0) {
                call.put("id", callId(choice));
                call.put("type", "function");
            }
            ObjectNode function = call.putObject("function");
            if (token == 0) {
                function.put("name", tool.get());
            }
            function.put("arguments", text);
        } else {
            delta(chunk, choice).put("content", text);
        }
        return chunk;
    }

    ObjectNode finish(int choice, String reason) {
        ObjectNode chunk = chunk();
        if (api == Api.COMPLETIONS) {
            choice(chunk, choice).put("text", "").put("finish_reason", reason);
        } else {
            ObjectNode last = choice(chunk, choice);
            last.putObject("delta");
            last.put("finish_reason", reason);
        }
        return chunk;
    }

    /** The last chunk of a stream that asked for it. */
    ObjectNode usage(Usage usage) {
        ObjectNode chunk = head(api.chunkObject());
        chunk.putArray("choices");
        chunk.set("usage", usage.json());
        return chunk;
    }

    ObjectNode whole(List<String> texts, List<String> finishReasons, Usage usage) {
        ObjectNode body = head(api.wholeObject());
        ArrayNode choices = body.putArray("choices");
        for (int i = 0; i < texts.size(); i++) {
            ObjectNode choice = choices.addObject();
            choice.put("index", i);
            if (api == Api.COMPLETIONS) {
                choice.put("text", texts.get(i));
            } else {
                message(choice.putObject("message"), i, texts.get(i));
            }
            choice.putNull("logprobs");
            choice.put("finish_reason", finishReasons.get(i));
        }
        body.set("usage", usage.json());
        return body;
    }

    private void message(ObjectNode message, int choice, String text) {
        message.put("role", "assistant");
        if (tool.isEmpty()) {
            message.put("content", text);
            return;
        }
        message.putNull("content");
        ObjectNode call = message.putArray("tool_calls").addObject();
        call.put("id", callId(choice));
        call.put("type", "function");
        call.putObject("function").put("name", tool.get()).put("arguments", text);
    }

    private String callId(int choice) {
        return "call-" + id + "-" + choice;
    }

    private ObjectNode chunk() {
        return head(api.chunkObject());
    }

    private ObjectNode head(String object) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("id", id);
        body.put("object", object);
        body.put("created", createdSeconds);
        body.put("model", model);
        body.put("system_fingerprint", SYSTEM_FINGERPRINT);
        return body;
    }

    private static ObjectNode delta(ObjectNode chunk, int index) {
        return choice(chunk, index).putObject("delta");
    }

    private static ObjectNode choice(ObjectNode chunk, int index) {
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        choice.putNull("logprobs");
        choice.putNull("finish_reason");
        return choice;
    }
}
