package io.inferwatch.probes.load;

import io.inferwatch.probes.proxy.measure.Ending;
import io.inferwatch.probes.proxy.measure.Measurement;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URI;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request from its sending to the end of its answer, told step by step by its connection, on one event loop.
 *
 * <p>Latencies count from the schedule. A connection that has to be made first is part of them: whoever asks waits for it.
 */
final class Exchange {
    private static final long NEVER = Long.MIN_VALUE;
    private static final String REQUEST_ID = "x-request-id";

    /** Who hears that it is over. */
    interface Listener {
        void ended(Exchange exchange, FinishedRequest finished);
    }

    private final PlannedRequest planned;
    private final LoadRun.Context context;
    private final EventLoop loop;
    private final byte[] body;
    private final long scheduledNanos;
    private final Listener listener;

    private long releasedNanos = NEVER;
    private long sentNanos = NEVER;
    private @Nullable Measurement measurement;
    private @Nullable ChunkTimes chunks;
    private @Nullable ScheduledFuture<?> timeout;
    private @Nullable LoadConnection connection;
    private boolean isEnded;

    /**
     * A request that is ready to go.
     *
     * @param scheduledNanos when it is due by {@link System#nanoTime}; null where that is whenever its turn comes
     */
    Exchange(
            PlannedRequest planned,
            LoadRun.Context context,
            EventLoop loop,
            byte[] body,
            @Nullable Long scheduledNanos,
            Listener listener) {
        this.planned = planned;
        this.context = context;
        this.loop = loop;
        this.body = body;
        this.scheduledNanos = scheduledNanos == null ? NEVER : scheduledNanos;
        this.listener = listener;
    }

    PlannedRequest planned() {
        return planned;
    }

    /** Whether it has a time of its own. */
    boolean isScheduled() {
        return scheduledNanos != NEVER;
    }

    EventLoop loop() {
        return loop;
    }

    URI server() {
        return context.target().server(planned.number());
    }

    /**
     * Its turn has come: now, where it had to wait for it or has no other time; else when it was due, however late the generator is.
     */
    void released(boolean hasWaited) {
        boolean isNow = hasWaited || scheduledNanos == NEVER;
        releasedNanos = isNow ? Math.max(scheduledNanos, System.nanoTime()) : scheduledNanos;
    }

    /** On its loop: asks for a connection, and counts from here on. */
    void send(LoadConnections connections) {
        sentNanos = System.nanoTime();
        long startNanos = scheduledNanos == NEVER ? sentNanos : scheduledNanos;
        ChunkTimes times = context.keepsChunks() ? new ChunkTimes(sentNanos) : null;
        chunks = times;
        long startedAtMicros = context.clock().atMicros(startNanos);
        measurement = times == null
                ? new Measurement(context.target().api().dialect(), startNanos, startedAtMicros)
                : new Measurement(context.target().api().dialect(), startNanos, startedAtMicros, times);
        timeout = loop.schedule(
                () -> end(Ending.TIMED_OUT), context.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
        connections.acquire(this);
    }

    boolean isEnded() {
        return isEnded;
    }

    /** A connection is there; returns what to write to it. */
    FullHttpRequest connected(LoadConnection ready) {
        connection = ready;
        long nowNanos = System.nanoTime();
        Measurement present = measurement();
        present.connectionReady(nowNanos);
        present.sentUpstream(nowNanos);
        present.requestEnded(nowNanos);
        URI server = server();
        ByteBuf content = Unpooled.wrappedBuffer(body);
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, context.target().uri(), content);
        request.headers()
                .set(HttpHeaderNames.HOST, server.getRawAuthority())
                .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.ACCEPT, "text/event-stream")
                .set(REQUEST_ID, requestId());
        context.target().headers().forEach((name, value) -> request.headers().set(name, value));
        return request;
    }

    Measurement measurement() {
        Measurement present = measurement;
        if (present == null) {
            throw new IllegalStateException("the request was not sent yet");
        }
        return present;
    }

    /** It is over, one way or another; what comes later does not count. */
    void end(Ending ending) {
        if (isEnded) {
            return;
        }
        isEnded = true;
        ScheduledFuture<?> running = timeout;
        if (running != null) {
            running.cancel(false);
        }
        LoadConnection used = connection;
        if (used != null) {
            used.left(this, ending == Ending.COMPLETE);
        }
        RequestEvent event = measurement().end(ending, System.nanoTime());
        describe(event);
        ChunkTimes times = chunks;
        listener.ended(
                this,
                new FinishedRequest(
                        planned,
                        context.phase(),
                        micros(releasedNanos - (scheduledNanos == NEVER ? releasedNanos : scheduledNanos)),
                        micros(sentNanos - releasedNanos),
                        event,
                        times == null ? null : times.micros()));
    }

    private void describe(RequestEvent event) {
        event.setTraffic(Traffic.SYNTHETIC);
        event.setSource(Source.LOAD);
        event.setRun(context.run());
        event.setReplica("load-" + context.run());
        event.setRequestId(requestId());
        event.setStreaming(true);
        event.setHttpVersion("1.1");
        event.setTurn(planned.turn());
        event.setPromptCharacters(planned.promptCharacters());
        event.setPromptStructure(context.target().headers().get(Target.PROMPT_STRUCTURE));
        context.target().model().ifPresent(model -> {
            if (event.getModel() == null) {
                event.setModel(model);
            }
        });
        event.setSentAtMicros(context.clock().atMicros(sentNanos));
        event.setScheduledAtMicros(
                scheduledNanos == NEVER ? null : (Long) context.clock().atMicros(scheduledNanos));
        // What the probe in front of a server calls its own overhead means nothing here.
        event.setProxyOverheadMicros(null);
    }

    private String requestId() {
        return context.run() + "-" + context.phase() + "-" + planned.number();
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
