package io.inferwatch.probes.proxy;

import io.inferwatch.probes.identity.HeaderLookup;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.identity.RequestIdentity;
import io.inferwatch.probes.identity.StageTimes;
import io.inferwatch.probes.proxy.measure.Dialect;
import io.inferwatch.probes.proxy.measure.Measurement;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The measured requests of one replica: begins their meters, knows which are open, and hands on their events. Started = completed + failed + cancelled +
 * open at any moment. Thread safe.
 */
final class RequestMeters {
    private static final Logger LOG = LoggerFactory.getLogger(RequestMeters.class);
    private static final long WARNING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Why an answer was not measured. */
    enum Unmeasured {
        /** Its content encoding cannot be read. */
        ENCODING,
        /** Its bytes were not what their encoding says, or measuring failed. */
        FAILED
    }

    private final ReplicaIdentity replica;
    private final IdentityRules rules;
    private final ProxyCounters counters;
    private final Consumer<RequestEvent> events;
    private final Set<Measurement> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong warnedAtNanos = new AtomicLong(System.nanoTime() - WARNING_PAUSE_NANOS);

    /** Meters whose events go to the consumer, which must not wait. */
    RequestMeters(ReplicaIdentity replica, IdentityRules rules, ProxyCounters counters, Consumer<RequestEvent> events) {
        this.replica = replica;
        this.rules = rules;
        this.counters = counters;
        this.events = events;
    }

    /** Listens to a request whose headers have just come. */
    RelayListener begin(HttpRequest request) {
        Dialect dialect = Dialect.of(request.method().name(), request.uri());
        if (dialect == null) {
            counters.passed();
            return RelayListener.DEAF;
        }
        long startNanos = System.nanoTime();
        Measurement measurement =
                new Measurement(dialect, startNanos, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        boolean isReadable = !request.headers().contains(HttpHeaderNames.CONTENT_ENCODING);
        RequestMeter meter = new RequestMeter(this, measurement, request, identity(request), isReadable);
        counters.started();
        open.add(measurement);
        return meter;
    }

    private RequestIdentity identity(HttpRequest request) {
        return rules.identify(lookup(request.headers()), request.uri());
    }

    StageTimes stageTimes(HttpHeaders headers) {
        return rules.stageTimes(lookup(headers));
    }

    ProxyCounters counters() {
        return counters;
    }

    void ended(RequestMeter meter, RequestEvent event) {
        replica.fill(event);
        open.remove(meter.measurement());
        counters.ended(event);
        events.accept(event);
    }

    /** No event could be made. */
    void broken(RequestMeter meter, RuntimeException cause) {
        open.remove(meter.measurement());
        counters.lost();
        warn(cause);
    }

    /** At most every ten seconds; the counters have all. The exception's text may quote the stream and is left out. */
    void warn(RuntimeException cause) {
        long now = System.nanoTime();
        long before = warnedAtNanos.get();
        if (now - before >= WARNING_PAUSE_NANOS && warnedAtNanos.compareAndSet(before, now)) {
            StackTraceElement[] trace = cause.getStackTrace();
            LOG.warn(
                    "proxy: an answer could not be measured: {} at {}",
                    cause.getClass().getName(),
                    trace.length == 0 ? "an unknown place" : trace[0]);
        }
    }

    /** What a heartbeat says. */
    ReplicaState state() {
        long now = System.nanoTime();
        long awaiting = 0;
        long oldestNanos = -1;
        for (Measurement measurement : open) {
            oldestNanos = Math.max(oldestNanos, measurement.ageNanos(now));
            if (!measurement.hasToken()) {
                awaiting++;
            }
        }
        ProxyCounters.Ended ended = counters.ended();
        return new ReplicaState(
                replica.replica(),
                replica.placement(),
                Source.PROXY,
                null,
                ended.open(),
                Math.min(awaiting, ended.open()),
                oldestNanos < 0 ? null : (Long) TimeUnit.NANOSECONDS.toMicros(oldestNanos),
                ended.started(),
                ended.completed(),
                ended.failed(),
                ended.cancelled());
    }

    private static HeaderLookup lookup(HttpHeaders headers) {
        return name -> value(headers.getAll(name));
    }

    private static @Nullable String value(List<String> lines) {
        return switch (lines.size()) {
            case 0 -> null;
            case 1 -> lines.get(0);
            default -> String.join(",", lines);
        };
    }
}
