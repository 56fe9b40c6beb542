package io.inferwatch.probes.identity;

import java.util.List;
import java.util.Optional;

/** What a request or its answer can say of itself, and under which names unless settings name others. */
@SuppressWarnings("ImmutableEnumChecker") // its lists are List.of
public enum IdentityField {
    TENANT("tenant", List.of("x-tenant-id", "x-tenant"), List.of("tenant.id", "tenant")),
    API_KEY("api-key", List.of("authorization", "x-api-key", "api-key"), List.of()),
    SESSION(
            "session",
            List.of("x-session-id", "x-conversation-id", "x-session-affinity"),
            List.of("session.id", "gen_ai.conversation.id")),
    TURN("turn", List.of("x-turn"), List.of("turn")),
    PRIORITY("priority", List.of("x-priority"), List.of("priority")),
    TEMPLATE("template", List.of("x-prompt-template"), List.of("prompt.template")),
    WORKLOAD_CLASS("workload-class", List.of("x-workload-class"), List.of("workload.class")),
    PROMPT_STRUCTURE("prompt-structure", List.of("x-prompt-structure"), List.of("prompt.structure")),
    CONVERSATION_STATE("conversation-state", List.of("x-conversation-state"), List.of("conversation.state")),
    RUN("run", List.of("x-inferwatch-run"), List.of("inferwatch.run")),
    REQUEST_ID("request-id", List.of("x-request-id"), List.of()),
    TRACEPARENT("traceparent", List.of("traceparent"), List.of()),
    BAGGAGE("baggage", List.of("baggage"), List.of()),
    SLO_TTFT("slo-ttft", List.of("x-slo-ttft-ms"), List.of()),
    SLO_TPOT("slo-tpot", List.of("x-slo-tpot-ms"), List.of()),
    SLO_E2E("slo-e2e", List.of("x-slo-e2e-ms"), List.of()),
    GUARDRAILS("guardrails", List.of("x-guardrail"), List.of()),
    SERVER_TIMING("server-timing", List.of("server-timing"), List.of()),
    GUARDRAIL_TIME("guardrail-time", List.of("x-stage-guardrail-ms"), List.of()),
    GATEWAY_TIME(Stage.GATEWAY),
    AUTHENTICATION_TIME(Stage.AUTHENTICATION),
    PARSE_TIME(Stage.PARSE),
    TEMPLATE_TIME(Stage.TEMPLATE),
    TOKENIZE_TIME(Stage.TOKENIZE),
    QUEUE_TIME(Stage.QUEUE),
    PREFILL_TIME(Stage.PREFILL),
    KV_TRANSFER_TIME(Stage.KV_TRANSFER),
    DECODE_TIME(Stage.DECODE),
    ASSEMBLY_TIME(Stage.ASSEMBLY),
    POSTPROCESS_TIME(Stage.POSTPROCESS);

    private final String key;
    private final List<String> headers;
    private final List<String> baggage;
    private final Optional<Stage> stage;

    IdentityField(String key, List<String> headers, List<String> baggage) {
        this(key, headers, baggage, Optional.empty());
    }

    IdentityField(Stage stage) {
        this(stage.key() + "-time", List.of("x-stage-" + stage.key() + "-ms"), List.of(), Optional.of(stage));
    }

    IdentityField(String key, List<String> headers, List<String> baggage, Optional<Stage> stage) {
        this.key = key;
        this.headers = headers;
        this.baggage = baggage;
        this.stage = stage;
    }

    /** Its name in settings and metrics. */
    public String key() {
        return key;
    }

    /** Headers that carry it; the first that is there counts. */
    List<String> headers() {
        return headers;
    }

    /** Baggage entries that carry it where no header does. */
    List<String> baggage() {
        return baggage;
    }

    /** The stage whose time it is, if it is one. */
    Optional<Stage> stage() {
        return stage;
    }
}
