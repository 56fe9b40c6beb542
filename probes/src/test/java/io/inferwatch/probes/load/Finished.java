package io.inferwatch.probes.load;

import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import java.util.List;
import java.util.Map;

/** Requests that ended, as a run would tell of them. */
final class Finished {
    private Finished() {}

    /**
     * A request with an answer of 11 tokens: TTFT and E2E from the schedule.
     *
     * @param dueAtMicros its time, at which it was sent too
     */
    static FinishedRequest good(long number, int step, long dueAtMicros, long ttftMicros, long e2eMicros) {
        return of(number, step, dueAtMicros, Outcome.OK, ttftMicros, e2eMicros, 0);
    }

    /** One without an answer. */
    static FinishedRequest failed(long number, int step, long dueAtMicros) {
        RequestEvent event = event(number, dueAtMicros, Outcome.HTTP_ERROR);
        event.setHttpStatus(500);
        event.setE2eMicros(1_000L);
        event.setCompletedAtMicros(dueAtMicros + 1_000);
        event.setSentAtMicros(dueAtMicros);
        return new FinishedRequest(planned(number, step), 1, 0, 0, event, new int[0]);
    }

    /** One that was sent that long after its time. */
    static FinishedRequest late(long number, long dueAtMicros, long ttftMicros, long e2eMicros, long lateMicros) {
        return of(number, 0, dueAtMicros, Outcome.OK, ttftMicros, e2eMicros, lateMicros);
    }

    private static FinishedRequest of(
            long number, int step, long dueAtMicros, Outcome outcome, long ttft, long e2e, long lateMicros) {
        RequestEvent event = event(number, dueAtMicros, outcome);
        event.setHttpStatus(200);
        event.setSentAtMicros(dueAtMicros + lateMicros);
        event.setScheduledAtMicros(dueAtMicros);
        event.setTtftMicros(ttft);
        event.setTtfoMicros(ttft);
        event.setE2eMicros(e2e);
        event.setUpstreamHeadersMicros(ttft);
        event.setTpotNanos((e2e - ttft) * 1_000 / 10);
        event.setPromptTokens(100L);
        event.setOutputTokens(11L);
        event.setReasoningTokens(1L);
        event.setCompletedAtMicros(dueAtMicros + e2e);
        int[] chunks = new int[11];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = (int) (ttft - lateMicros + i * (e2e - ttft) / 10);
        }
        return new FinishedRequest(planned(number, step), 1, 0, lateMicros, event, chunks);
    }

    private static PlannedRequest planned(long number, int step) {
        Message message = Message.of(Message.Role.USER, new Words(number, 100));
        return new PlannedRequest(number, 0L, List.of(message), 11, null, null, step, null);
    }

    private static RequestEvent event(long number, long dueAtMicros, Outcome outcome) {
        RequestEvent event = new RequestEvent();
        event.setStream("");
        event.setReplica("load-test");
        event.setRun("test");
        event.setRequestId("test-1-" + number);
        event.setTraffic(Traffic.SYNTHETIC);
        event.setSource(Source.LOAD);
        event.setEndpoint(Endpoint.CHAT);
        event.setTokenSource(TokenSource.USAGE);
        event.setSampleWeight(1);
        event.setOutcome(outcome);
        event.setStartedAtMicros(dueAtMicros);
        event.setMarks(List.of());
        event.setGpuUuids(List.of());
        event.setGuardrails(List.of());
        event.setConfiguration(Map.of());
        return event;
    }
}
