package io.inferwatch.probes.identity;

import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Traffic;
import org.jspecify.annotations.Nullable;

/**
 * What a request said of itself when its headers arrived, ready for its event. Holds no header text: what names people is hashed. What was
 * not said, or not well formed, is null.
 *
 * @param trace the caller's span
 * @param requestId x-request-id
 * @param stages times that were known when the request arrived, e.g. a gateway's
 */
public record RequestIdentity(
        Caller caller,
        Work work,
        Limits limits,
        @Nullable TraceParent trace,
        @Nullable String requestId,
        StageTimes stages) {
    /** Who asked, hashed: see {@link SaltedHash}. */
    public record Caller(
            @Nullable String tenant,
            @Nullable String apiKey,
            @Nullable String session) {}

    /**
     * What for.
     *
     * @param turn of the conversation, from 1
     * @param promptStructure how the prompt is built: plain, json, xml ...
     * @param conversationState whether the server keeps it between turns: kept or stateless
     * @param run of a load generator; its traffic is synthetic
     */
    public record Work(
            @Nullable Integer turn,
            @Nullable Integer priority,
            @Nullable String template,
            @Nullable String workloadClass,
            @Nullable String promptStructure,
            @Nullable String conversationState,
            @Nullable String run) {}

    /** How long it may take. */
    public record Limits(
            @Nullable Long ttftMicros,
            @Nullable Long tpotNanos,
            @Nullable Long e2eMicros) {}

    /** Sets all of this on the event; of traffic that is no load generator's, nothing is changed. */
    public void fill(RequestEvent event) {
        event.setTenant(caller.tenant);
        event.setApiKey(caller.apiKey);
        event.setSession(caller.session);
        event.setTurn(work.turn);
        event.setPriority(work.priority);
        event.setTemplate(work.template);
        event.setWorkloadClass(work.workloadClass);
        event.setPromptStructure(work.promptStructure);
        event.setConversationState(work.conversationState);
        if (work.run != null) {
            event.setRun(work.run);
            event.setTraffic(Traffic.SYNTHETIC);
        }
        event.setSloTtftMicros(limits.ttftMicros);
        event.setSloTpotNanos(limits.tpotNanos);
        event.setSloE2eMicros(limits.e2eMicros);
        if (trace != null) {
            event.setTraceId(trace.traceId());
            event.setParentSpanId(trace.parentSpanId());
        }
        event.setRequestId(requestId);
        stages.fill(event);
    }
}
