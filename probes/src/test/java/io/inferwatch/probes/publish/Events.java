package io.inferwatch.probes.publish;

import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import java.util.List;
import java.util.Map;

/** Complete events for tests. */
final class Events {
    private Events() {}

    static RequestEvent of(String replica, long row) {
        RequestEvent event = new RequestEvent();
        event.setReplica(replica);
        event.setRow(row);
        event.setCompletedAtMicros(1_700_000_000_000_000L + row);
        event.setStartedAtMicros(1_700_000_000_000_000L);
        event.setTraffic(Traffic.PRODUCTION);
        event.setOutcome(Outcome.OK);
        event.setSampleWeight(1);
        event.setSource(Source.REPLAY);
        event.setMarks(List.of());
        event.setGpuUuids(List.of());
        event.setConfiguration(Map.of());
        event.setGuardrails(List.of());
        event.setEndpoint(Endpoint.UNKNOWN);
        event.setTokenSource(TokenSource.UNKNOWN);
        return event;
    }
}
