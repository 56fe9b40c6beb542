package io.inferwatch.simulation.http;

/** The two interfaces that generate, and what their answers are called. */
enum Api {
    CHAT("/v1/chat/completions", "chatcmpl-", "chat.completion", "chat.completion.chunk"),
    COMPLETIONS("/v1/completions", "cmpl-", "text_completion", "text_completion");

    private final String path;
    private final String idPrefix;
    private final String wholeObject;
    private final String chunkObject;

    Api(String path, String idPrefix, String wholeObject, String chunkObject) {
        this.path = path;
        this.idPrefix = idPrefix;
        this.wholeObject = wholeObject;
        this.chunkObject = chunkObject;
    }

    String path() {
        return path;
    }

    String idPrefix() {
        return idPrefix;
    }

    String wholeObject() {
        return wholeObject;
    }

    String chunkObject() {
        return chunkObject;
    }
}
