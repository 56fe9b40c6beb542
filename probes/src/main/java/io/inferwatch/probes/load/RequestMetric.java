package io.inferwatch.probes.load;

import io.inferwatch.schemas.RequestEvent;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is told of each request; absent where it is not known. Latencies of answers that did not come whole do not count, but for the first token. */
enum RequestMetric {
    /** From the schedule to the first token. */
    TTFT("ttft_micros", FinishedRequest::ttftMicros),
    /** From the sending to the first token. */
    SENT_TTFT("sent_ttft_micros", FinishedRequest::sentTtftMicros),
    /** From the schedule to the last token. */
    E2E("e2e_micros", FinishedRequest::e2eMicros),
    /** From the sending to the last token. */
    SENT_E2E("sent_e2e_micros", FinishedRequest::sentE2eMicros),
    /** Nanoseconds a token, the first one left out. */
    TPOT("tpot_nanos", request -> request.isGood() ? request.event().getTpotNanos() : null),
    /** Tokens of the prompt, as the server counts them. */
    PROMPT_TOKENS("prompt_tokens", ofGood(RequestEvent::getPromptTokens)),
    /** Tokens of the answer, as the server counts them. */
    OUTPUT_TOKENS("output_tokens", ofGood(RequestEvent::getOutputTokens)),
    /** Waiting because of the limit of open requests. */
    QUEUED("queued_micros", FinishedRequest::queuedMicros),
    /** The generator's own lateness. */
    LAG("lag_micros", FinishedRequest::lagMicros);

    private final String label;
    // A function without state.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<FinishedRequest, @Nullable Number> value;

    RequestMetric(String label, Function<FinishedRequest, @Nullable Number> value) {
        this.label = label;
        this.value = value;
    }

    String label() {
        return label;
    }

    Distribution of(Iterable<FinishedRequest> requests) {
        return Distribution.of(requests, value);
    }

    private static Function<FinishedRequest, @Nullable Number> ofGood(Function<RequestEvent, @Nullable Number> value) {
        return request -> request.isGood() ? value.apply(request.event()) : null;
    }
}
