package io.inferwatch.probes.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.Guardrail;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hashes were made with {@code printf 'TENANT:acme' | openssl dgst -sha256 -mac HMAC -macopt key:...}. */
class IdentityRulesTest {
    private static final String ACME = "59e5ccfb9adf513c";
    private static final String ACME_SESSION = "e1bdae4f11911592";
    private static final String KEY_SK_1 = "043eec13742447b7";
    private static final String CHAT_7 = "a1d52da244c3c47e";
    private static final String NIGHTLY = "0f0151ac41194c0d";

    @TempDir
    private Path directory;

    private Path salt;

    @BeforeEach
    void writeSalt() throws IOException {
        salt = Files.writeString(directory.resolve("salt"), "0123456789abcdef0123\n");
    }

    @Test
    void readsEverythingFromTheDefaultHeaders() {
        RequestIdentity identity = rules("")
                .identify(
                        headers(Map.ofEntries(
                                Map.entry("x-tenant-id", "acme"),
                                Map.entry("authorization", "Bearer sk-1"),
                                Map.entry("x-session-id", "acme"),
                                Map.entry("x-turn", "3"),
                                Map.entry("x-priority", "-5"),
                                Map.entry("x-prompt-template", "react-v2"),
                                Map.entry("x-workload-class", "multi-turn"),
                                Map.entry("x-prompt-structure", "json"),
                                Map.entry("x-conversation-state", "kept"),
                                Map.entry("x-inferwatch-run", "night-17"),
                                Map.entry("x-request-id", "req-1"),
                                Map.entry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                                Map.entry("x-slo-ttft-ms", "250"),
                                Map.entry("x-slo-tpot-ms", "12.3456789"),
                                Map.entry("x-slo-e2e-ms", "30000.0004"),
                                Map.entry("x-stage-gateway-ms", "12.5"),
                                Map.entry("x-stage-authentication-ms", "27"),
                                Map.entry("x-stage-guardrail-ms", "43"),
                                Map.entry("server-timing", "queue;dur=1.25, cache;desc=\"hit\", prefill;DUR=80"),
                                Map.entry("x-guardrail", "pii;phase=prompt;dur=8.5;verdict=pass, toxicity"))),
                        "/v1/chat/completions");
        RequestEvent event = new RequestEvent();
        event.setTraffic(Traffic.PRODUCTION);
        event.setPrefillMicros(77L);
        identity.fill(event);

        assertThat(event.getTenant()).isEqualTo(ACME);
        assertThat(event.getApiKey()).isEqualTo(KEY_SK_1);
        assertThat(event.getSession()).isEqualTo(ACME_SESSION);
        assertThat(event.getTurn()).isEqualTo(3);
        assertThat(event.getPriority()).isEqualTo(-5);
        assertThat(event.getTemplate()).isEqualTo("react-v2");
        assertThat(event.getWorkloadClass()).isEqualTo("multi-turn");
        assertThat(event.getPromptStructure()).isEqualTo("json");
        assertThat(event.getRun()).isEqualTo("night-17");
        assertThat(event.getTraffic()).isEqualTo(Traffic.SYNTHETIC);
        assertThat(event.getRequestId()).isEqualTo("req-1");
        assertThat(event.getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
        assertThat(event.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        assertThat(event.getSloTtftMicros()).isEqualTo(250_000);
        assertThat(event.getSloTpotNanos()).isEqualTo(12_345_678);
        assertThat(event.getSloE2eMicros()).isEqualTo(30_000_000);
        assertThat(event.getGatewayMicros()).isEqualTo(12_500);
        assertThat(event.getAuthenticationMicros()).isEqualTo(27_000);
        assertThat(event.getQueueMicros()).isEqualTo(1_250);
        assertThat(event.getPrefillMicros()).as("what the probe measured stays").isEqualTo(77);
        assertThat(event.getGuardrails())
                .containsExactly(
                        new Guardrail("pii", "prompt", 8_500L, "pass"),
                        new Guardrail("toxicity", null, null, null),
                        new Guardrail("guardrail", null, 43_000L, null));
        assertThat(event.getGuardrailChecks()).isEqualTo(3);
        assertThat(event.getGuardrailBypasses()).isZero();
        assertThat(event.getGuardrailMicros()).isEqualTo(51_500);
        assertThat(event.getGuardrailMode()).as("none said where it ran").isNull();
        assertThat(event.getConversationState()).isEqualTo("kept");
    }

    @Test
    void whatIsNotSaidIsNull() {
        RequestEvent event = new RequestEvent();
        event.setTraffic(Traffic.PRODUCTION);
        IdentityRules rules = rules("");
        rules.identify(name -> null, "/").fill(event);

        assertThat(event.getTenant()).isNull();
        assertThat(event.getTurn()).isNull();
        assertThat(event.getSloTtftMicros()).isNull();
        assertThat(event.getTraceId()).isNull();
        assertThat(event.getTraffic()).isEqualTo(Traffic.PRODUCTION);
        assertThat(rules.malformed().counts().values()).containsOnly(0L);
    }

    @Test
    void malformedValuesAreCountedAndNull() {
        Map<IdentityField, String> bad = new EnumMap<>(IdentityField.class);
        bad.put(IdentityField.TENANT, "t".repeat(5_000));
        bad.put(IdentityField.API_KEY, "k".repeat(5_000));
        bad.put(IdentityField.SESSION, "s".repeat(5_000));
        bad.put(IdentityField.TURN, "0");
        bad.put(IdentityField.PRIORITY, "2147483648");
        bad.put(IdentityField.TEMPLATE, "You are a helpful assistant");
        bad.put(IdentityField.WORKLOAD_CLASS, "a".repeat(65));
        bad.put(IdentityField.PROMPT_STRUCTURE, "<xml>");
        bad.put(IdentityField.RUN, "ü");
        bad.put(IdentityField.REQUEST_ID, "a b");
        bad.put(IdentityField.TRACEPARENT, "00-00000000000000000000000000000000-b7ad6b7169203331-01");
        bad.put(IdentityField.BAGGAGE, "tenant.id=%zz");
        bad.put(IdentityField.SLO_TTFT, "0");
        bad.put(IdentityField.SLO_TPOT, "1e3");
        bad.put(IdentityField.SLO_E2E, "-1");
        bad.put(IdentityField.GUARDRAILS, "no good;dur=1");
        bad.put(IdentityField.SERVER_TIMING, "queue;dur=NaN");
        bad.put(IdentityField.GUARDRAIL_TIME, "Infinity");
        for (IdentityField field : IdentityField.values()) {
            bad.putIfAbsent(field, "9999999999");
        }
        Map<String, String> headers = new HashMap<>();
        bad.forEach((field, value) -> headers.put(field.headers().get(0), value));
        IdentityRules rules = rules("");
        RequestIdentity identity = rules.identify(headers(headers), "/");

        assertThat(rules.malformed().counts())
                .hasSize(30)
                .allSatisfy((field, count) -> assertThat(count).as(field.key()).isEqualTo(1));
        assertThat(identity)
                .isEqualTo(new RequestIdentity(
                        new RequestIdentity.Caller(null, null, null),
                        new RequestIdentity.Work(null, null, null, null, null, null, null),
                        new RequestIdentity.Limits(null, null, null),
                        null,
                        null,
                        new StageTimes(Map.of(), List.of())));
    }

    @Test
    void headersGoBeforeBaggageAndBaggageBeforeRules() {
        IdentityRules rules = rules("""
                rules:
                  batch:
                    path: /v1/comp*
                    headers: {X-App: "batch-*"}
                    set: {tenant: nightly, workload-class: batch, priority: 9}
                  rest:
                    path: "*"
                    set: {workload-class: interactive}
                """);
        Map<String, String> request = new HashMap<>(Map.of("x-app", "batch-7"));
        RequestIdentity byRule = rules.identify(headers(request), "/v1/completions?stream=1");
        assertThat(byRule.caller().tenant()).isEqualTo(NIGHTLY);
        assertThat(byRule.work().workloadClass()).isEqualTo("batch");
        assertThat(byRule.work().priority()).isEqualTo(9);

        request.put("baggage", "other=1, tenant.id=ac%6De;p=1,session.id=chat 7,turn=2");
        RequestIdentity byBaggage = rules.identify(headers(request), "/v1/completions");
        assertThat(byBaggage.caller().tenant()).isEqualTo(ACME);
        assertThat(byBaggage.caller().session()).isEqualTo(CHAT_7);
        assertThat(byBaggage.work().turn()).isEqualTo(2);

        request.put("x-tenant", "nightly");
        assertThat(rules.identify(headers(request), "/v1/completions").caller().tenant())
                .isEqualTo(NIGHTLY);

        assertThat(rules.identify(headers(Map.of("x-app", "web")), "/v1/completions")
                        .work()
                        .workloadClass())
                .isEqualTo("interactive");
        assertThat(rules.identify(headers(Map.of("x-app", "batch-1")), "/v1/chat/completions")
                        .caller()
                        .tenant())
                .isNull();
    }

    @Test
    void settingsNameOtherHeadersOrNone() {
        IdentityRules rules = rules("""
                headers:
                  tenant: [X-Org, x-team]
                  api-key: []
                baggage:
                  tenant: []
                """);
        RequestIdentity identity = rules.identify(
                headers(Map.of("x-team", "acme", "authorization", "Bearer sk-1", "baggage", "tenant.id=b")), "/");
        assertThat(identity.caller().tenant()).isEqualTo(ACME);
        assertThat(identity.caller().apiKey()).isNull();
        assertThat(rules.identify(headers(Map.of("baggage", "tenant.id=b")), "/")
                        .caller()
                        .tenant())
                .isNull();
    }

    @Test
    void theAnswersHeadersTellStageTimes() {
        RequestEvent event = new RequestEvent();
        event.setGuardrails(List.of(new Guardrail("first", null, 1L, "pass")));
        rules("")
                .stageTimes(headers(Map.of(
                        "server-timing", "decode;dur=400.0004, guardrail;dur=3", "x-stage-postprocess-ms", "18")))
                .fill(event);
        assertThat(event.getDecodeMicros()).isEqualTo(400_000);
        assertThat(event.getPostprocessMicros()).isEqualTo(18_000);
        assertThat(event.getGuardrails())
                .containsExactly(
                        new Guardrail("first", null, 1L, "pass"), new Guardrail("guardrail", null, 3_000L, null));
    }

    @Test
    void aGuardrailThatMissedItsDeadlineIsCountedWhereWindowsReadIt() {
        RequestEvent event = new RequestEvent();
        rules("")
                .stageTimes(headers(Map.of(
                        "x-guardrail",
                        "pii;phase=inline;dur=128;verdict=pass, toxicity;phase=sidecar;dur=80;verdict=bypass")))
                .fill(event);
        assertThat(event.getGuardrailChecks()).isEqualTo(2);
        assertThat(event.getGuardrailBypasses()).isEqualTo(1);
        assertThat(event.getGuardrailMicros()).isEqualTo(208_000);
        assertThat(event.getGuardrailMode()).isEqualTo("sidecar");

        RequestEvent without = new RequestEvent();
        rules("").stageTimes(headers(Map.of())).fill(without);
        assertThat(without.getGuardrailChecks()).isNull();
        assertThat(without.getGuardrailBypasses()).isNull();
        assertThat(without.getGuardrailMicros()).isNull();
        assertThat(without.getGuardrailMode()).isNull();
    }

    @Test
    void aStateThatIsNeitherKeptNorStatelessIsMalformed() {
        IdentityRules rules = rules("");
        assertThat(rules.identify(headers(Map.of("x-conversation-state", "stateless")), "/")
                        .work()
                        .conversationState())
                .isEqualTo("stateless");
        assertThat(rules.identify(headers(Map.of("x-conversation-state", "half")), "/")
                        .work()
                        .conversationState())
                .isNull();
        assertThat(rules.malformed().counts()).containsEntry(IdentityField.CONVERSATION_STATE, 1L);
        assertThat(rules.malformed().counts().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void badSettingsAreOneReport() throws IOException {
        Files.writeString(salt, "short");
        Settings root = Settings.parse("probe.yaml", "salt-file: " + salt + """

                headers: {tenants: [x]}
                rules:
                  empty: {}
                  bare: {path: /v1, set: {tenannt: a, priority: high}}
                """);
        IdentityRules.of(root);
        assertThatThrownBy(root::check)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("""
                        probe.yaml:
                          rules.empty.path: must be set, or headers, found neither
                          rules.empty.set: must be a mapping with any of tenant, template, workload-class, prompt-structure, priority, found none
                          rules.bare.set.priority: must be a whole number between -2147483648 and 2147483647, found 'high'
                          salt-file: must be a file with a salt of 16 to 4096 bytes, or a place where one can be made, found %s with 5 bytes
                          headers.tenants: unknown key, did you mean 'tenant'?
                          rules.bare.set.tenannt: unknown key, did you mean 'tenant'?""".formatted(salt));
    }

    @Test
    void noHeaderOfAnyKindMakesItThrowSeed11() {
        Random random = new Random(11);
        IdentityRules rules = rules("rules: {all: {path: '*', set: {tenant: x}}}");
        String alphabet = "a0=;,-. %\"\u0000\u00fc\ud83d\ude00+/:\\Zz9";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder value = new StringBuilder();
            for (int length = random.nextInt(80); length > 0; length--) {
                value.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String text = value.toString();
            RequestIdentity identity = rules.identify(name -> text, text);
            identity.fill(new RequestEvent());
            Integer turn = identity.work().turn();
            assertThat(turn == null || turn >= 1).as(text).isTrue();
        }
    }

    private IdentityRules rules(String yaml) {
        Settings root = Settings.parse("probe.yaml", "salt-file: " + salt + "\n" + yaml);
        IdentityRules rules = IdentityRules.of(root);
        root.check();
        return rules;
    }

    private static HeaderLookup headers(Map<String, String> headers) {
        return headers::get;
    }
}
