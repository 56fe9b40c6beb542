package io.inferwatch.probes.otlp;

import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.TokenSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What an engine tells of a request beyond what can be measured from outside. */
final class ToldFacts {
    private static final List<String> FIELDS = List.of(
            "model",
            "version",
            "tenant",
            "turn",
            "template",
            "workloadClass",
            "promptStructure",
            "conversationState",
            "queueMicros",
            "prefillMicros",
            "decodeMicros",
            "kvTransferMicros",
            "promptTokens",
            "cachedTokens",
            "reasoningTokens",
            "service",
            "pod",
            "engine",
            "engineVersion",
            "apiKey",
            "session",
            "priority",
            "traceId",
            "parentSpanId",
            "requestId",
            "engineRequestId",
            "finishReason",
            "errorType",
            "preemptions",
            "engineTtftMicros",
            "engineE2eMicros");

    private ToldFacts() {}

    /**
     * Adds to a measured event what it lacks. Output tokens that were only guessed from chunks are replaced, and the time per token with them.
     */
    static void complete(RequestEvent measured, RequestEvent told) {
        for (String field : FIELDS) {
            if (measured.get(field) == null) {
                measured.put(field, told.get(field));
            }
        }
        if (told.getOutputTokens() != null && isGuess(measured)) {
            measured.setOutputTokens(told.getOutputTokens());
            measured.setTokenSource(told.getTokenSource());
            measured.setTpotNanos(SpanReader.tpotNanos(measured));
        }
        Set<String> marks = new LinkedHashSet<>(measured.getMarks());
        marks.addAll(told.getMarks());
        measured.setMarks(List.copyOf(marks));
    }

    private static boolean isGuess(RequestEvent measured) {
        return measured.getOutputTokens() == null
                || measured.getTokenSource() == TokenSource.CHUNKS
                || measured.getTokenSource() == TokenSource.UNKNOWN;
    }
}
