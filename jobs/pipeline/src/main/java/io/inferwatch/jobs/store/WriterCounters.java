package io.inferwatch.jobs.store;

import io.inferwatch.influx.RefusalReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/** What a writer did, as Flink metrics. Counted by the sending thread, read by others. */
final class WriterCounters {
    private final Counter written;
    private final Counter replaced;
    private final Counter requests;
    private final Counter retries;
    private final Map<RefusalReason, Counter> refused = new EnumMap<>(RefusalReason.class);
    private final AtomicLong unacknowledged = new AtomicLong();
    private final AtomicLong lastWriteMillis = new AtomicLong();

    WriterCounters(MetricGroup group) {
        this.written = group.counter("points_written_total", new ThreadSafeSimpleCounter());
        this.replaced = group.counter("points_replaced_total", new ThreadSafeSimpleCounter());
        this.requests = group.counter("write_requests_total", new ThreadSafeSimpleCounter());
        this.retries = group.counter("write_retries_total", new ThreadSafeSimpleCounter());
        group.gauge("unacknowledged_points", unacknowledged::get);
        group.gauge("last_write_milliseconds", lastWriteMillis::get);
        for (RefusalReason reason : RefusalReason.values()) {
            refused.put(
                    reason,
                    group.addGroup("reason", reason.label())
                            .counter("points_refused_total", new ThreadSafeSimpleCounter()));
        }
    }

    /** Points stored by one call, which took that long. */
    void written(long points, long millis) {
        written.inc(points);
        requests.inc();
        lastWriteMillis.set(millis);
    }

    /** A held point gave way to a truer one of the same series and time. */
    void replaced() {
        replaced.inc();
    }

    /** A call that has to be made again. */
    void retry() {
        retries.inc();
    }

    /** A point that is not stored and never will be; its dead letter tells which. */
    void refused(RefusalReason reason) {
        Counter counter = refused.get(reason);
        if (counter != null) {
            counter.inc();
        }
    }

    /** Points held now. */
    void unacknowledged(long points) {
        unacknowledged.set(points);
    }
}
