package io.inferwatch.probes.proxy.measure;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request from its headers to the end of its answer, told step by step by whoever forwards it, and at the end its event. Every time is a
 * reading of {@link System#nanoTime}; the wall clock is read once, at the start, so that durations and instants of one event agree.
 *
 * <p>It never throws for what a client or server sends, and holds under 6 KiB, its sketches included. To be told by one thread; the age and whether a
 * token has come may be read by any.
 */
public final class Measurement {
    private static final long NEVER = Long.MIN_VALUE;

    private final Dialect dialect;
    private final long startNanos;
    private final long startedAtMicros;
    private final ChunkListener chunks;
    private final RequestReader request = new RequestReader();

    private long bodyNanos = NEVER;
    private long connectionReadyNanos = NEVER;
    private long upstreamSentNanos = NEVER;
    private long headersNanos = NEVER;
    private long deliveredNanos = NEVER;
    private long lastReadNanos = NEVER;

    private int status;
    private @Nullable String contentEncoding;
    private @Nullable AnswerReader answer;
    private boolean isUnmeasured;
    private volatile boolean hasToken;

    /** A request whose headers came at this moment. */
    public Measurement(Dialect dialect, long startNanos, long startedAtMicros) {
        this(dialect, startNanos, startedAtMicros, ChunkListener.NONE);
    }

    /** The same, with one who hears of the answer's chunks. */
    public Measurement(Dialect dialect, long startNanos, long startedAtMicros, ChunkListener chunks) {
        this.chunks = chunks;
        this.dialect = dialect;
        this.startNanos = startNanos;
        this.startedAtMicros = startedAtMicros;
    }

    /** A part of the request's body. */
    public void requestBody(byte[] bytes, int offset, int length) {
        request.read(bytes, offset, length);
    }

    /** The request's body has come to its end. */
    public void requestEnded(long atNanos) {
        bodyNanos = atNanos;
    }

    /** A connection upstream can be used. */
    public void connectionReady(long atNanos) {
        connectionReadyNanos = atNanos;
    }

    /** The request's headers are on their way upstream. */
    public void sentUpstream(long atNanos) {
        upstreamSentNanos = atNanos;
    }

    /**
     * The answer's headers.
     *
     * @param contentType null when there is none
     * @param contentEncoding null when there is none
     * @param isReadable whether the body will be told in plain bytes
     */
    public void answerHeaders(
            int status,
            @Nullable String contentType,
            @Nullable String contentEncoding,
            boolean isReadable,
            long atNanos) {
        this.status = status;
        this.contentEncoding = contentEncoding;
        headersNanos = atNanos;
        lastReadNanos = atNanos;
        if (isReadable) {
            boolean isEventStream =
                    contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
            answer = new AnswerReader(dialect, isEventStream, chunks);
        } else {
            isUnmeasured = true;
        }
    }

    /** The proxy itself answered, since the upstream did not. */
    public void answeredBySelf(int status) {
        this.status = status;
    }

    /** A part of the answer's body, which one read brought. */
    public void answerBody(byte[] bytes, int offset, int length, long atNanos) {
        lastReadNanos = atNanos;
        AnswerReader present = answer;
        if (present != null) {
            present.read(bytes, offset, length, atNanos);
            if (!hasToken && present.timeline().hasTokens()) {
                hasToken = true;
            }
        }
    }

    /** The rest of the answer cannot be read, and what was read of it cannot be trusted. */
    public void unreadable() {
        answer = null;
        isUnmeasured = true;
    }

    /** Whether a first token has come and nobody has said yet when it was delivered. */
    public boolean awaitsDelivery() {
        return hasToken && deliveredNanos == NEVER;
    }

    /** The first token is in the hands of the client's connection. */
    public void delivered(long atNanos) {
        deliveredNanos = atNanos;
    }

    /** Whether the stream's own mark of the end has come: nothing that happens later can harm the answer. */
    public boolean isAnswered() {
        return answer != null && answer.isEnded();
    }

    /** How long the request has been open. */
    public long ageNanos(long atNanos) {
        return atNanos - startNanos;
    }

    /** Whether a token has come. */
    public boolean hasToken() {
        return hasToken;
    }

    /** The event of the ended request; who served it and for whom is left open. */
    public RequestEvent end(Ending ending, long atNanos) {
        AnswerReader present = answer;
        if (present != null) {
            present.end(lastReadNanos);
        }
        RequestEvent event = new RequestEvent();
        event.setTraffic(Traffic.PRODUCTION);
        event.setSampleWeight(1);
        event.setSource(Source.PROXY);
        event.setGpuUuids(List.of());
        event.setConfiguration(Map.of());
        event.setGuardrails(List.of());
        event.setTokenSource(TokenSource.UNKNOWN);
        event.setEndpoint(dialect.endpoint());
        event.setOutcome(Outcomes.of(ending, status, present));
        event.setStartedAtMicros(startedAtMicros);
        event.setCompletedAtMicros(startedAtMicros + micros(atNanos));
        event.setHttpStatus(status == 0 ? null : (Integer) status);
        event.setContentEncoding(contentEncoding);
        event.setErrorType(ending.errorType());
        event.setModel(request.model());
        event.setStreaming(request.stream());
        event.setPromptCharacters(request.promptCharacters());
        event.setBodyMicros(since(bodyNanos));
        event.setConnectionReadyMicros(since(connectionReadyNanos));
        event.setUpstreamSentMicros(since(upstreamSentNanos));
        event.setUpstreamHeadersMicros(since(headersNanos));
        event.setStreamEndMicros(headersNanos == NEVER ? null : since(lastReadNanos));
        event.setClientClosedMicros(ending == Ending.CLIENT_CLOSED ? since(atNanos) : null);
        event.setTtfdMicros(since(deliveredNanos));
        event.setE2eMicros(since(atNanos));
        List<String> marks = new ArrayList<>();
        if (isUnmeasured) {
            marks.add("unmeasured");
        }
        if (present != null) {
            describe(event, present, marks);
        }
        event.setProxyOverheadMicros(overheadMicros(event));
        event.setMarks(marks);
        return event;
    }

    private void describe(RequestEvent event, AnswerReader present, List<String> marks) {
        if (present.model() != null) {
            event.setRequestedModel(
                    request.model() == null || request.model().equals(present.model()) ? null : request.model());
            event.setModel(present.model());
        }
        event.setEngineRequestId(present.id());
        event.setFinishReason(present.finishReason());
        if (present.errorType() != null) {
            event.setErrorType(present.errorType());
        }
        event.setPromptTokens(present.promptTokens());
        event.setCachedTokens(present.cachedTokens());
        event.setReasoningTokens(present.reasoningTokens());
        boolean isGood = status >= 200 && status <= 299;
        if (isGood && !(present.hasError() && !present.timeline().hasTokens())) {
            event.setOutputTokens(present.outputTokens());
            event.setTokenSource(present.tokenSource());
        }
        if (present.malformedMessages() > 0 && isGood) {
            marks.add("malformed");
        }
        if (present.isEventStream()) {
            event.setStreaming(true);
            describeStream(event, present, marks);
        } else if (event.getStreaming() == null) {
            event.setStreaming(false);
        }
    }

    private void describeStream(RequestEvent event, AnswerReader present, List<String> marks) {
        TokenTimeline timeline = present.timeline();
        event.setChunks(timeline.events());
        event.setTokenChunks(timeline.tokenChunks());
        event.setCoalescedReads(timeline.coalescedReads());
        event.setBufferedUpstream(timeline.isBuffered());
        event.setTtfbMicros(since(timeline.firstEventNanos()));
        event.setTtftMicros(since(timeline.firstTokenNanos()));
        event.setTtfoMicros(since(timeline.firstOutputNanos()));
        if (timeline.hasTokens()) {
            event.setE2eMicros(since(timeline.lastTokenNanos()));
            event.setFirstChunkTokens(nullable(present.firstChunkTokens()));
            event.setTpotNanos(timePerOutputToken(present));
            OptionalLong stall = timeline.maxStallNanos();
            event.setMaxStallMicros(stall.isEmpty() ? null : (Long) TimeUnit.NANOSECONDS.toMicros(stall.getAsLong()));
            event.setIclSketch(encoded(timeline.chunkGaps()));
            event.setItlSketch(encoded(present.isOneTokenAChunk() ? timeline.chunkGaps() : timeline.tokenGaps()));
        }
        if (timeline.coalescedReads() > 0) {
            marks.add("coalesced");
        }
        boolean isWhole = event.getOutcome() == Outcome.OK || event.getOutcome() == Outcome.LENGTH;
        if (isWhole && dialect.marksEnd() && !present.isEnded()) {
            marks.add("no-done");
        }
    }

    private static @Nullable Long timePerOutputToken(AnswerReader present) {
        TokenTimeline timeline = present.timeline();
        Long tokens = present.outputTokens();
        OptionalLong first = timeline.firstTokenNanos();
        OptionalLong last = timeline.lastTokenNanos();
        if (tokens == null || first.isEmpty() || last.isEmpty()) {
            return null;
        }
        long divisor = tokens - present.firstChunkTokens().orElse(1);
        return divisor <= 0 ? null : (Long) ((last.getAsLong() - first.getAsLong()) / divisor);
    }

    /** From the headers to their being sent on, without the wait for a connection, and from the first token to its being sent on. */
    private @Nullable Long overheadMicros(RequestEvent event) {
        if (upstreamSentNanos == NEVER || connectionReadyNanos == NEVER) {
            return null;
        }
        long overheadMicros = TimeUnit.NANOSECONDS.toMicros(upstreamSentNanos - connectionReadyNanos);
        Long ttft = event.getTtftMicros();
        Long ttfd = event.getTtfdMicros();
        return overheadMicros + (ttft == null || ttfd == null ? 0 : Math.max(0, ttfd - ttft));
    }

    private @Nullable Long since(OptionalLong atNanos) {
        return atNanos.isEmpty() ? null : since(atNanos.getAsLong());
    }

    private @Nullable Long since(long atNanos) {
        return atNanos == NEVER ? null : (Long) micros(atNanos);
    }

    private long micros(long atNanos) {
        return TimeUnit.NANOSECONDS.toMicros(atNanos - startNanos);
    }

    private static @Nullable Long nullable(OptionalLong value) {
        return value.isEmpty() ? null : (Long) value.getAsLong();
    }

    private static @Nullable ByteBuffer encoded(@Nullable QuantileSketch sketch) {
        return sketch == null || sketch.n() == 0 ? null : ByteBuffer.wrap(SketchEncoding.encode(sketch));
    }
}
