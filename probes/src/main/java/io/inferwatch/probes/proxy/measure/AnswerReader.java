package io.inferwatch.probes.proxy.measure;

import io.inferwatch.schemas.TokenSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one answer as it comes, cut anywhere, and knows at any moment what it has said: tokens and their times, counts, why it ended,
 * what went wrong. It keeps no text of the answer and less than 2 KiB beside its sketches, whatever the body's length, and never throws.
 *
 * <p>Of token counts the answer's own at its end go first, then those that it repeats on every chunk, then the number of chunks. Not thread safe.
 */
final class AnswerReader implements SseParser.Listener {
    /** OpenAI's end of a stream. */
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    private final Dialect dialect;
    private final @Nullable SseParser events;
    private final Message message = new Message();
    private final JsonScanner scanner;
    private final TokenTimeline timeline = new TokenTimeline();
    private final ChunkListener chunks;

    private final byte[] head = new byte[DONE.length];
    private long dataLength;
    private long nowNanos;

    private boolean hasAnswer;
    private boolean hasResult;
    private boolean hasError;
    private boolean isEnded;
    private boolean ranIntoLimit;
    private long malformedMessages;
    private long promptTokens = Message.UNKNOWN;
    private long cachedTokens = Message.UNKNOWN;
    private long outputTokens = Message.UNKNOWN;
    private long reasoningTokens = Message.UNKNOWN;
    /** Whether the last count of the output came with a chunk of tokens, so that more may have followed it. */
    private boolean isCountRunning;

    private @Nullable String finishReason;
    private @Nullable String errorType;

    AnswerReader(Dialect dialect, boolean isEventStream, ChunkListener chunks) {
        this.chunks = chunks;
        this.dialect = dialect;
        this.events = isEventStream ? new SseParser(this) : null;
        this.scanner = new JsonScanner(dialect.answer(), message);
    }

    /** One read brought these bytes. */
    void read(byte[] bytes, int offset, int length, long atNanos) {
        nowNanos = atNanos;
        if (events == null) {
            scanner.scan(bytes, offset, length);
            dataLength += length;
        } else {
            events.parse(bytes, offset, length);
            timeline.endRead();
        }
    }

    /** The body has ended, or will not go on. */
    void end(long atNanos) {
        nowNanos = atNanos;
        if (events == null) {
            if (dataLength > 0) {
                endMessage();
            }
        } else {
            events.end();
            timeline.endRead();
        }
    }

    @Override
    public void data(byte[] bytes, int offset, int length) {
        if (dataLength < head.length) {
            int at = (int) dataLength;
            System.arraycopy(bytes, offset, head, at, Math.min(length, head.length - at));
        }
        dataLength += length;
        scanner.scan(bytes, offset, length);
    }

    @Override
    public void event() {
        timeline.event(nowNanos);
        if (dataLength == DONE.length && Arrays.equals(head, DONE)) {
            isEnded = true;
        } else {
            endMessage();
        }
        beginMessage();
    }

    private void beginMessage() {
        dataLength = 0;
        scanner.reset();
        message.reset();
    }

    private void endMessage() {
        scanner.end();
        message.complete();
        // What a broken message said before it broke still counts.
        if (!scanner.isComplete()) {
            malformedMessages++;
        }
        noteCounts();
        if (message.bearsTokens() && !message.hasError()) {
            hasAnswer = true;
            if (events != null) {
                timeline.tokens(nowNanos, message.choices(), tokensOfMessage(), message.bearsOutput());
                chunks.chunk(nowNanos);
            }
        }
        if (message.outputTokens() != Message.UNKNOWN) {
            outputTokens = Math.max(outputTokens, message.outputTokens());
            isCountRunning = message.bearsTokens() && message.finishReason() == null && events != null;
        }
        hasResult |= message.hasResult();
        isEnded |= message.isEnded();
        if (message.hasError()) {
            hasError = true;
            errorType = errorType == null ? message.errorType() : errorType;
        }
        String reason = message.finishReason();
        if (reason != null) {
            finishReason = reason;
            ranIntoLimit |= Outcomes.isLimit(reason);
        }
    }

    private void noteCounts() {
        if (message.promptTokens() != Message.UNKNOWN) {
            promptTokens = message.promptTokens();
        }
        if (message.cachedTokens() != Message.UNKNOWN) {
            cachedTokens = message.cachedTokens();
        }
        if (message.reasoningTokens() != Message.UNKNOWN) {
            reasoningTokens = message.reasoningTokens();
        }
    }

    /** How many tokens the message bears, by its form or by how far the running count rose; negative when it does not say. */
    private long tokensOfMessage() {
        if (message.isOneToken()) {
            return 1;
        }
        long count = message.outputTokens();
        return count == Message.UNKNOWN ? Message.UNKNOWN : Math.max(0, count - Math.max(0, outputTokens));
    }

    Dialect dialect() {
        return dialect;
    }

    boolean isEventStream() {
        return events != null;
    }

    TokenTimeline timeline() {
        return timeline;
    }

    /** Whether anything was answered: tokens, or the result of an interface that has none. */
    boolean hasAnswer() {
        return dialect.generates() ? hasAnswer : hasResult;
    }

    boolean hasError() {
        return hasError;
    }

    /** Whether the stream's own mark of the end has come. */
    boolean isEnded() {
        return isEnded;
    }

    /** Whether any of the answers ended because it ran into the limit of its length. */
    boolean ranIntoLimit() {
        return ranIntoLimit;
    }

    /** Messages that were no JSON, or broke off. */
    long malformedMessages() {
        return malformedMessages;
    }

    @Nullable
    Long promptTokens() {
        return nullable(promptTokens);
    }

    @Nullable
    Long cachedTokens() {
        return nullable(cachedTokens);
    }

    @Nullable
    Long reasoningTokens() {
        return nullable(reasoningTokens);
    }

    @Nullable
    Long outputTokens() {
        if (outputTokens != Message.UNKNOWN) {
            return outputTokens;
        }
        return timeline.hasTokens() ? timeline.chunkTokens() : null;
    }

    TokenSource tokenSource() {
        if (outputTokens != Message.UNKNOWN) {
            return isCountRunning ? TokenSource.CONTINUOUS : TokenSource.USAGE;
        }
        return timeline.hasTokens() ? TokenSource.CHUNKS : TokenSource.UNKNOWN;
    }

    /**
     * Whether every chunk bore exactly one token though none said so: the answer's own count is that of the chunks, or one more, since the token
     * that ends an answer has no text.
     */
    boolean isOneTokenAChunk() {
        long chunks = timeline.tokenChunks();
        boolean counted = outputTokens != Message.UNKNOWN && !isCountRunning && timeline.chunkTokens() == chunks;
        return counted
                && chunks > 0
                && (outputTokens == chunks || (outputTokens == chunks + 1 && "stop".equals(finishReason)));
    }

    /** Tokens of the first token-bearing chunk, where that is known. */
    OptionalLong firstChunkTokens() {
        return isOneTokenAChunk() ? OptionalLong.of(1) : timeline.firstChunkTokens();
    }

    @Nullable
    String finishReason() {
        return finishReason;
    }

    @Nullable
    String errorType() {
        return errorType;
    }

    @Nullable
    String model() {
        return message.model();
    }

    @Nullable
    String id() {
        return message.id();
    }

    private static @Nullable Long nullable(long value) {
        return value == Message.UNKNOWN ? null : (Long) value;
    }
}
