package io.inferwatch.probes.otlp;

import com.google.protobuf.ByteString;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.Map;
import java.util.function.Function;

/**
 * Takes exported spans, finds those about requests and hands their events on. A span that cannot be right is refused and counted, the rest of
 * its batch is kept. Thread safe; never waits.
 */
final class SpanReceiver {
    private static final int RECENT_SPANS = 100_000;
    private static final int TRACE_ID_BYTES = 16;
    private static final int SPAN_ID_BYTES = 8;

    private final Function<Resource, ReplicaIdentity> replicas;
    private final SpanReader reader;
    private final Sampling sampling;
    private final SpanLoss loss;
    private final ReplicaActivity activity;
    private final RequestJoin join;
    private final RecentSpans recent = new RecentSpans(RECENT_SPANS);
    private final Tally<SpanFate> fates = new Tally<>(SpanFate.class);

    SpanReceiver(
            Function<Resource, ReplicaIdentity> replicas,
            SpanReader reader,
            Sampling sampling,
            SpanLoss loss,
            ReplicaActivity activity,
            RequestJoin join) {
        this.replicas = replicas;
        this.reader = reader;
        this.sampling = sampling;
        this.loss = loss;
        this.activity = activity;
        this.join = join;
    }

    /** Takes a batch; what is refused of it will never be taken, so that its sender need not send it again. */
    Refused receive(ExportTraceServiceRequest batch) {
        long invalidIds = 0;
        long invalidTimes = 0;
        for (ResourceSpans ofResource : batch.getResourceSpansList()) {
            for (ScopeSpans ofScope : ofResource.getScopeSpansList()) {
                for (Span span : ofScope.getSpansList()) {
                    SpanFate fate = receive(ofResource.getResource(), span);
                    fates.add(fate);
                    invalidIds += fate == SpanFate.INVALID_ID ? 1 : 0;
                    invalidTimes += fate == SpanFate.INVALID_TIME ? 1 : 0;
                }
            }
        }
        if (invalidIds + invalidTimes == 0) {
            return Refused.NOTHING;
        }
        String ids = invalidIds + " without a valid trace and span id";
        String times = invalidTimes + " without a valid start and end";
        return new Refused(
                invalidIds + invalidTimes, invalidTimes == 0 ? ids : invalidIds == 0 ? times : ids + ", " + times);
    }

    /** How many spans ended how. */
    Map<SpanFate, Long> fates() {
        return fates.counts();
    }

    private SpanFate receive(Resource resource, Span span) {
        if (!isValid(span.getTraceId(), TRACE_ID_BYTES) || !isValid(span.getSpanId(), SPAN_ID_BYTES)) {
            return SpanFate.INVALID_ID;
        }
        // Times are unsigned: what is negative here lies beyond the year 2262.
        if (span.getStartTimeUnixNano() <= 0 || span.getEndTimeUnixNano() <= 0) {
            return SpanFate.INVALID_TIME;
        }
        Attributes attributes = new Attributes(span.getAttributesList());
        if (!SpanReader.isRequest(span, attributes)) {
            return SpanFate.OTHER;
        }
        if (!recent.add(span.getTraceId(), span.getSpanId())) {
            return SpanFate.REPEAT;
        }
        ReplicaIdentity replica = replicas.apply(resource);
        RequestEvent event = reader.read(span, attributes, replica);
        boolean client = SpanReader.isClient(span);
        if (!client) {
            loss.span(replica.replica(), event.getCompletedAtMicros());
        }
        activity.ended(replica, event.getModel(), event.getOutcome());
        boolean failed = event.getOutcome() != Outcome.OK && event.getOutcome() != Outcome.LENGTH;
        int weight = sampling.weight(event.getService(), SpanReader.path(attributes), failed, event.getTraceId());
        if (weight == 0) {
            return SpanFate.SAMPLED_OUT;
        }
        event.setSampleWeight(weight);
        join.offer(client ? RequestJoin.Side.MEASURED : RequestJoin.Side.TOLD, event);
        return SpanFate.REQUEST;
    }

    private static boolean isValid(ByteString id, int bytes) {
        if (id.size() != bytes) {
            return false;
        }
        for (int i = 0; i < bytes; i++) {
            if (id.byteAt(i) != 0) {
                return true;
            }
        }
        return false;
    }
}
