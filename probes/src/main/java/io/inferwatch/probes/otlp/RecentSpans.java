package io.inferwatch.probes.otlp;

import com.google.protobuf.ByteString;
import java.util.LinkedHashSet;
import java.util.Set;

/** The spans that came last, so that a batch which its sender sends again is not counted again. Thread safe; bounded. */
final class RecentSpans {
    private final int capacity;
    private final Set<ByteString> ids = new LinkedHashSet<>();

    RecentSpans(int capacity) {
        this.capacity = capacity;
    }

    /** Notes a span; false when it was here already. */
    synchronized boolean add(ByteString traceId, ByteString spanId) {
        if (!ids.add(traceId.concat(spanId))) {
            return false;
        }
        if (ids.size() > capacity) {
            var oldest = ids.iterator();
            oldest.next();
            oldest.remove();
        }
        return true;
    }
}
