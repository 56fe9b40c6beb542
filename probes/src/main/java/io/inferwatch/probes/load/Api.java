package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.measure.Dialect;

/** What is asked of the server. */
enum Api {
    /** OpenAI's chat completions, a message for each turn. */
    CHAT(Dialect.CHAT, "/v1/chat/completions"),
    /** OpenAI's completions, all turns as one text: the prompt is as long as it was planned, without a template around it. */
    COMPLETIONS(Dialect.COMPLETIONS, "/v1/completions");

    private final Dialect dialect;
    private final String path;

    Api(Dialect dialect, String path) {
        this.dialect = dialect;
        this.path = path;
    }

    Dialect dialect() {
        return dialect;
    }

    String path() {
        return path;
    }
}
