package io.inferwatch.probes.proxy.measure;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What one message of an answer says: an event of a stream, or the whole body. Keeps counts and short labels, never a text of the answer. Used
 * again for the next message.
 */
final class Message implements JsonScanner.Listener {
    static final long UNKNOWN = -1;

    private static final int MAX_LABEL = 128;

    private boolean hasText;
    private boolean hasEmptyText;
    private boolean hasReasoning;
    private boolean hasTool;
    private boolean hasDelta;
    private boolean hasToken;
    private boolean hasResult;
    private boolean hasError;
    private boolean isEnded;

    private long choices;
    private boolean isChoiceOpen;
    private boolean choiceBoreToken;
    private boolean choiceFinished;

    private long promptTokens;
    private long cachedTokens;
    private long cacheReadTokens;
    private long cacheWrittenTokens;
    private long outputTokens;
    private long reasoningTokens;

    private @Nullable String type;
    private @Nullable String finishReason;
    private @Nullable String errorType;
    private @Nullable String errorCode;

    /** Kept from message to message, since every one repeats them. */
    private @Nullable String model;

    private @Nullable String id;

    Message() {
        reset();
    }

    /** Begins the next message. */
    void reset() {
        hasText = false;
        hasEmptyText = false;
        hasReasoning = false;
        hasTool = false;
        hasDelta = false;
        hasToken = false;
        hasResult = false;
        hasError = false;
        isEnded = false;
        choices = 0;
        isChoiceOpen = false;
        choiceBoreToken = false;
        choiceFinished = false;
        promptTokens = UNKNOWN;
        cachedTokens = UNKNOWN;
        cacheReadTokens = UNKNOWN;
        cacheWrittenTokens = UNKNOWN;
        outputTokens = UNKNOWN;
        reasoningTokens = UNKNOWN;
        type = null;
        finishReason = null;
        errorType = null;
        errorCode = null;
    }

    @Override
    public void text(Fact fact, byte[] kept, int keptLength, long characters) {
        switch (fact) {
            case TEXT -> noteText(characters > 0);
            case COMPLETION_TEXT -> {
                if (characters == 0) {
                    hasEmptyText = true;
                }
                noteText(characters > 0);
            }
            case REASONING -> {
                hasReasoning |= characters > 0;
                choiceBoreToken |= characters > 0;
            }
            case TOOL -> noteTool();
            case TYPED_DELTA -> hasDelta |= characters > 0;
            case TYPE -> type = label(kept, keptLength);
            case STATUS -> noteStatus(kept, keptLength);
            case FINISH_REASON -> {
                finishReason = label(kept, keptLength);
                choiceFinished = true;
            }
            case ERROR -> hasError = true;
            case ERROR_TYPE -> errorType = label(kept, keptLength);
            case ERROR_CODE -> errorCode = label(kept, keptLength);
            case MODEL -> model = model == null ? label(kept, keptLength) : model;
            case ID -> id = id == null ? label(kept, keptLength) : id;
            default -> {
                // Says nothing as a text.
            }
        }
    }

    @Override
    public void number(Fact fact, long value) {
        switch (fact) {
            case PROMPT_TOKENS -> promptTokens = value;
            case CACHED_TOKENS -> cachedTokens = value;
            case CACHE_READ_TOKENS -> cacheReadTokens = value;
            case CACHE_WRITTEN_TOKENS -> cacheWrittenTokens = value;
            case OUTPUT_TOKENS -> outputTokens = value;
            case REASONING_TOKENS -> reasoningTokens = value;
            case ERROR_CODE -> errorCode = Long.toString(value);
            default -> {
                // Says nothing as a number.
            }
        }
    }

    @Override
    public void flag(Fact fact, boolean value) {
        // No answer says anything that way.
    }

    @Override
    public void opened(Fact fact) {
        switch (fact) {
            case CHOICE -> {
                isChoiceOpen = true;
                choiceBoreToken = false;
                choiceFinished = false;
                hasEmptyText = false;
            }
            case TOOL -> noteTool();
            case TOKEN -> hasToken = true;
            case RESULT -> hasResult = true;
            case ERROR -> hasError = true;
            default -> {
                // Says nothing by being there.
            }
        }
    }

    @Override
    public void closed(Fact fact) {
        if (fact == Fact.CHOICE) {
            // An empty text that ends nothing is a special token.
            if (choiceBoreToken || (hasEmptyText && !choiceFinished)) {
                choices++;
                hasText |= !choiceBoreToken;
            }
            isChoiceOpen = false;
        }
    }

    /** The whole message was read: what its type decides is decided now. */
    void complete() {
        String present = type;
        if (present == null) {
            return;
        }
        if (hasDelta && present.endsWith(".delta")) {
            if (present.contains("reasoning")) {
                hasReasoning = true;
            } else if (present.contains("arguments") || present.contains("tool_call")) {
                hasTool = true;
            } else {
                hasText = true;
            }
        }
        switch (present) {
            case "message_stop", "response.completed" -> isEnded = true;
            case "response.incomplete" -> {
                isEnded = true;
                finishReason = finishReason == null ? "incomplete" : finishReason;
            }
            case "error", "response.failed" -> {
                isEnded = true;
                hasError = true;
            }
            default -> {
                // Neither ends nor fails.
            }
        }
    }

    /** Whether it is a token, or several. */
    boolean bearsTokens() {
        return hasText || hasReasoning || hasTool || hasToken;
    }

    /** Whether it bears more than reasoning. */
    boolean bearsOutput() {
        return hasText || hasTool || hasToken;
    }

    /** How many answers of n bore tokens; at least 1 when any did. */
    long choices() {
        return Math.max(1, choices);
    }

    /** Whether it is exactly one token by its form. */
    boolean isOneToken() {
        return hasToken;
    }

    boolean hasResult() {
        return hasResult;
    }

    boolean hasError() {
        return hasError;
    }

    /** Whether the stream's own mark of the end was in it. */
    boolean isEnded() {
        return isEnded;
    }

    /** Prompt tokens, cached ones included. */
    long promptTokens() {
        return promptTokens == UNKNOWN
                ? UNKNOWN
                : promptTokens + Math.max(0, cacheReadTokens) + Math.max(0, cacheWrittenTokens);
    }

    long cachedTokens() {
        return cachedTokens == UNKNOWN ? cacheReadTokens : cachedTokens;
    }

    /** Output tokens from the beginning of the answer to this message. */
    long outputTokens() {
        return outputTokens;
    }

    long reasoningTokens() {
        return reasoningTokens;
    }

    @Nullable
    String finishReason() {
        return finishReason;
    }

    /** The error's type, or its code where it has none. */
    @Nullable
    String errorType() {
        return errorType == null ? errorCode : errorType;
    }

    @Nullable
    String model() {
        return model;
    }

    @Nullable
    String id() {
        return id;
    }

    private void noteText(boolean isThere) {
        hasText |= isThere;
        choiceBoreToken |= isThere && isChoiceOpen;
    }

    private void noteTool() {
        hasTool = true;
        choiceBoreToken = true;
    }

    private void noteStatus(byte[] kept, int keptLength) {
        String status = label(kept, keptLength);
        if ("failed".equals(status)) {
            hasError = true;
        } else if ("cancelled".equals(status)) {
            finishReason = "cancelled";
        } else if ("completed".equals(status)) {
            finishReason = finishReason == null ? "completed" : finishReason;
        }
    }

    /** A short word; null when it is long or holds what no identifier would, for it might be a sentence out of a prompt. */
    private static @Nullable String label(byte[] kept, int keptLength) {
        if (keptLength == 0 || keptLength > MAX_LABEL) {
            return null;
        }
        for (int i = 0; i < keptLength; i++) {
            if (kept[i] <= ' ' || kept[i] > '~') {
                return null;
            }
        }
        return new String(kept, 0, keptLength, StandardCharsets.US_ASCII);
    }
}
