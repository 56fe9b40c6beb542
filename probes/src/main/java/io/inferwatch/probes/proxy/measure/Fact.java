package io.inferwatch.probes.proxy.measure;

/** What a value in a request or an answer states. */
enum Fact {
    /** One of n answers begins and ends. */
    CHOICE,
    /** Text of the answer. */
    TEXT,
    /** Text of a completion, where an empty one is a token too: a special one. */
    COMPLETION_TEXT,
    /** Text that the model thinks. */
    REASONING,
    /** A call of a tool, or a part of one. */
    TOOL,
    /** A piece of what the message's type says. */
    TYPED_DELTA,
    /** Exactly one token. */
    TOKEN,
    /** An answer that is not made of tokens: embeddings, tensors. */
    RESULT,
    /** The type of the message. */
    TYPE,
    /** Why the answer ended. */
    FINISH_REASON,
    /** State of a whole answer. */
    STATUS,
    /** Something went wrong. */
    ERROR,
    ERROR_TYPE,
    ERROR_CODE,
    MODEL,
    ID,
    PROMPT_TOKENS,
    CACHED_TOKENS,
    /** Prompt tokens that the count of the prompt leaves out, since the cache had them. */
    CACHE_READ_TOKENS,
    /** Prompt tokens that the count of the prompt leaves out, since the cache took them. */
    CACHE_WRITTEN_TOKENS,
    OUTPUT_TOKENS,
    REASONING_TOKENS,
    /** Whether the client asks for a stream. */
    STREAM,
    /** Whether the client asks for token counts at the end of the stream. */
    INCLUDE_USAGE,
    /** Options of the stream, whatever they say. */
    STREAM_OPTIONS,
    /** Text of the prompt, of which only the length is taken. */
    PROMPT
}
