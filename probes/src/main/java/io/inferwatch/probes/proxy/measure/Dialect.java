package io.inferwatch.probes.proxy.measure;

import static java.util.Map.entry;

import io.inferwatch.schemas.Endpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The interfaces of inference servers: by which path each is known, where its messages say what, and how its streams end. */
public enum Dialect {
    /** OpenAI's chat completions. */
    CHAT(Endpoint.CHAT, "/v1/chat/completions", true, true, Shapes.OPENAI),
    /** OpenAI's completions. */
    COMPLETIONS(Endpoint.COMPLETIONS, "/v1/completions", true, true, Shapes.OPENAI),
    /** OpenAI's responses. */
    RESPONSES(Endpoint.RESPONSES, "/v1/responses", true, true, Shapes.RESPONSES),
    /** Anthropic's messages. */
    MESSAGES(Endpoint.MESSAGES, "/v1/messages", true, true, Shapes.MESSAGES),
    /** OpenAI's embeddings, which generate nothing. */
    EMBEDDINGS(Endpoint.EMBEDDINGS, "/v1/embeddings", false, false, Shapes.EMBEDDINGS),
    /** The generate paths of TGI, SGLang and Triton, whose streams need not have an end of their own. */
    GENERATE(
            Endpoint.GENERATE,
            "/generate|/generate_stream|/v2/models/.+/generate(_stream)?",
            true,
            false,
            Shapes.GENERATE),
    /** KServe v2, which carries tensors. */
    KSERVE(Endpoint.KSERVE, "/v2/models/.+/infer", false, false, Shapes.KSERVE);

    private static final JsonShape REQUEST = JsonShape.of(Map.of(
            "model", Fact.MODEL,
            "stream", Fact.STREAM,
            "stream_options", Fact.STREAM_OPTIONS,
            "stream_options.include_usage", Fact.INCLUDE_USAGE,
            "prompt", Fact.PROMPT,
            "messages[].content", Fact.PROMPT,
            "messages[].content[].text", Fact.PROMPT,
            "input", Fact.PROMPT,
            "inputs", Fact.PROMPT,
            "text_input", Fact.PROMPT));

    private final Endpoint endpoint;
    private final Pattern path;
    private final boolean generates;
    private final boolean marksEnd;
    // A shape never changes once it is made.
    @SuppressWarnings("ImmutableEnumChecker")
    private final JsonShape answer;

    Dialect(Endpoint endpoint, String path, boolean generates, boolean marksEnd, JsonShape answer) {
        this.endpoint = endpoint;
        this.path = Pattern.compile("(?:/.*)?(?:" + path + ")");
        this.generates = generates;
        this.marksEnd = marksEnd;
        this.answer = answer;
    }

    /** The dialect of a request's path, whatever prefix a gateway left before it; null when it is none of these. */
    public static @Nullable Dialect of(String method, String uri) {
        if (!method.equals("POST")) {
            return null;
        }
        int query = uri.indexOf('?');
        String path = query < 0 ? uri : uri.substring(0, query);
        for (Dialect dialect : values()) {
            if (dialect.path.matcher(path).matches()) {
                return dialect;
            }
        }
        return null;
    }

    /** The interface as events name it. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Whether a good answer has tokens. */
    boolean generates() {
        return generates;
    }

    /** Whether a whole stream ends with a mark of its own, so that one without it may have been cut off. */
    boolean marksEnd() {
        return marksEnd;
    }

    JsonShape answer() {
        return answer;
    }

    static JsonShape request() {
        return REQUEST;
    }

    /** Where messages say what. */
    private static final class Shapes {
        private static final Map<String, Fact> ERRORS = Map.of(
                "error", Fact.ERROR,
                "error.type", Fact.ERROR_TYPE,
                "error.code", Fact.ERROR_CODE,
                "error_type", Fact.ERROR_TYPE);

        static final JsonShape OPENAI = shape(Map.ofEntries(
                entry("id", Fact.ID),
                entry("model", Fact.MODEL),
                entry("object", Fact.TYPE),
                entry("type", Fact.ERROR_TYPE),
                entry("code", Fact.ERROR_CODE),
                entry("choices[]", Fact.CHOICE),
                entry("choices[].finish_reason", Fact.FINISH_REASON),
                entry("choices[].text", Fact.COMPLETION_TEXT),
                entry("choices[].delta.content", Fact.TEXT),
                entry("choices[].delta.refusal", Fact.TEXT),
                entry("choices[].delta.reasoning", Fact.REASONING),
                entry("choices[].delta.reasoning_content", Fact.REASONING),
                entry("choices[].delta.tool_calls[]", Fact.TOOL),
                entry("choices[].delta.function_call", Fact.TOOL),
                entry("choices[].message.content", Fact.TEXT),
                entry("choices[].message.refusal", Fact.TEXT),
                entry("choices[].message.reasoning", Fact.REASONING),
                entry("choices[].message.reasoning_content", Fact.REASONING),
                entry("choices[].message.tool_calls[]", Fact.TOOL),
                entry("choices[].message.function_call", Fact.TOOL),
                entry("usage.prompt_tokens", Fact.PROMPT_TOKENS),
                entry("usage.prompt_tokens_details.cached_tokens", Fact.CACHED_TOKENS),
                entry("usage.completion_tokens", Fact.OUTPUT_TOKENS),
                entry("usage.completion_tokens_details.reasoning_tokens", Fact.REASONING_TOKENS)));

        static final JsonShape RESPONSES = shape(Map.ofEntries(
                entry("type", Fact.TYPE),
                entry("code", Fact.ERROR_CODE),
                entry("delta", Fact.TYPED_DELTA),
                entry("response.id", Fact.ID),
                entry("response.model", Fact.MODEL),
                entry("response.error", Fact.ERROR),
                entry("response.error.code", Fact.ERROR_CODE),
                entry("response.incomplete_details.reason", Fact.FINISH_REASON),
                entry("response.usage.input_tokens", Fact.PROMPT_TOKENS),
                entry("response.usage.input_tokens_details.cached_tokens", Fact.CACHED_TOKENS),
                entry("response.usage.output_tokens", Fact.OUTPUT_TOKENS),
                entry("response.usage.output_tokens_details.reasoning_tokens", Fact.REASONING_TOKENS),
                entry("id", Fact.ID),
                entry("model", Fact.MODEL),
                entry("status", Fact.STATUS),
                entry("incomplete_details.reason", Fact.FINISH_REASON),
                entry("output[].content[].text", Fact.TEXT),
                entry("output[].content[].refusal", Fact.TEXT),
                entry("output[].summary[].text", Fact.REASONING),
                entry("output[].arguments", Fact.TOOL),
                entry("usage.input_tokens", Fact.PROMPT_TOKENS),
                entry("usage.input_tokens_details.cached_tokens", Fact.CACHED_TOKENS),
                entry("usage.output_tokens", Fact.OUTPUT_TOKENS),
                entry("usage.output_tokens_details.reasoning_tokens", Fact.REASONING_TOKENS)));

        static final JsonShape MESSAGES = shape(Map.ofEntries(
                entry("type", Fact.TYPE),
                entry("message.id", Fact.ID),
                entry("message.model", Fact.MODEL),
                entry("message.usage.input_tokens", Fact.PROMPT_TOKENS),
                entry("message.usage.cache_read_input_tokens", Fact.CACHE_READ_TOKENS),
                entry("message.usage.cache_creation_input_tokens", Fact.CACHE_WRITTEN_TOKENS),
                entry("delta.text", Fact.TEXT),
                entry("delta.thinking", Fact.REASONING),
                entry("delta.partial_json", Fact.TOOL),
                entry("content_block.name", Fact.TOOL),
                entry("delta.stop_reason", Fact.FINISH_REASON),
                entry("id", Fact.ID),
                entry("model", Fact.MODEL),
                entry("stop_reason", Fact.FINISH_REASON),
                entry("content[].text", Fact.TEXT),
                entry("content[].thinking", Fact.REASONING),
                entry("content[].name", Fact.TOOL),
                entry("usage.input_tokens", Fact.PROMPT_TOKENS),
                entry("usage.cache_read_input_tokens", Fact.CACHE_READ_TOKENS),
                entry("usage.cache_creation_input_tokens", Fact.CACHE_WRITTEN_TOKENS),
                entry("usage.output_tokens", Fact.OUTPUT_TOKENS)));

        static final JsonShape EMBEDDINGS = shape(Map.of(
                "model", Fact.MODEL,
                "id", Fact.ID,
                "data[]", Fact.RESULT,
                "usage.prompt_tokens", Fact.PROMPT_TOKENS));

        static final JsonShape GENERATE = shape(Map.ofEntries(
                // TGI
                entry("token", Fact.TOKEN),
                entry("generated_text", Fact.TEXT),
                entry("details.finish_reason", Fact.FINISH_REASON),
                entry("details.generated_tokens", Fact.OUTPUT_TOKENS),
                entry("details.input_length", Fact.PROMPT_TOKENS),
                // SGLang
                entry("text", Fact.TEXT),
                entry("meta_info.id", Fact.ID),
                entry("meta_info.finish_reason.type", Fact.FINISH_REASON),
                entry("meta_info.prompt_tokens", Fact.PROMPT_TOKENS),
                entry("meta_info.cached_tokens", Fact.CACHED_TOKENS),
                entry("meta_info.completion_tokens", Fact.OUTPUT_TOKENS),
                // Triton
                entry("model_name", Fact.MODEL),
                entry("text_output", Fact.TEXT)));

        static final JsonShape KSERVE =
                shape(Map.of("model_name", Fact.MODEL, "id", Fact.ID, "outputs[]", Fact.RESULT));

        private static JsonShape shape(Map<String, Fact> paths) {
            Map<String, Fact> all = new HashMap<>(ERRORS);
            all.putAll(paths);
            return JsonShape.of(all);
        }
    }
}
