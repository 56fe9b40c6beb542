package io.inferwatch.probes.proxy.measure;

import io.inferwatch.schemas.Outcome;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a request ended, from its transport, its status and what its answer said. Status 200 alone is not success: an error within the stream, an
 * answer without a token and a stream without its end are failures. A stream that said why it ended, and whose body ended well, is whole even
 * without its mark of the end. A client that goes away after the end of the stream has cancelled nothing.
 */
final class Outcomes {
    private static final Set<String> LIMITS =
            Set.of("length", "max_tokens", "max_output_tokens", "model_context_window_exceeded");
    private static final Set<String> CANCELS = Set.of("abort", "cancelled", "canceled");

    private Outcomes() {}

    /**
     * The outcome.
     *
     * @param status of the answer as the client got it; 0 when it got none
     * @param answer null when the body could not be read, or none came
     */
    static Outcome of(Ending ending, int status, @Nullable AnswerReader answer) {
        boolean isOver = answer != null && answer.isEnded();
        switch (ending) {
            case CLIENT_CLOSED -> {
                if (!isOver) {
                    return Outcome.CLIENT_CANCEL;
                }
            }
            case TIMED_OUT -> {
                return Outcome.TIMEOUT;
            }
            case SHUT_DOWN -> {
                return Outcome.SERVER_CANCEL;
            }
            case REFUSED, RESET, GARBLED -> {
                return Outcome.HTTP_ERROR;
            }
            case COMPLETE, CUT -> {
                // The status and the answer decide.
            }
        }
        if (status < 200 || status > 299) {
            return ofStatus(status);
        }
        if (answer == null) {
            return ending == Ending.CUT ? Outcome.TRUNCATED : Outcome.OK;
        }
        return ofAnswer(ending, answer);
    }

    /** Whether a finish reason says that the limit of the length was reached. */
    static boolean isLimit(String finishReason) {
        return LIMITS.contains(finishReason);
    }

    private static Outcome ofStatus(int status) {
        return switch (status) {
            case 429 -> Outcome.REJECTED;
            case 408, 504 -> Outcome.TIMEOUT;
            case 499 -> Outcome.CLIENT_CANCEL;
            default -> Outcome.HTTP_ERROR;
        };
    }

    private static Outcome ofAnswer(Ending ending, AnswerReader answer) {
        String reason = answer.finishReason();
        if (answer.hasError() || "error".equals(reason)) {
            return Outcome.INBAND_ERROR;
        }
        if (reason != null && CANCELS.contains(reason)) {
            return Outcome.SERVER_CANCEL;
        }
        if (ending == Ending.CUT && !answer.isEnded()) {
            return Outcome.TRUNCATED;
        }
        boolean lacksEnd = answer.isEventStream() && answer.dialect().marksEnd() && !answer.isEnded();
        if (lacksEnd && reason == null) {
            return Outcome.TRUNCATED;
        }
        if (!answer.hasAnswer()) {
            return Outcome.NO_TOKEN;
        }
        return answer.ranIntoLimit() ? Outcome.LENGTH : Outcome.OK;
    }
}
