package io.inferwatch.probes.replay;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Single results of LLMPerf. A row with an error code is a failed request: it has no latencies, whatever zeros stand there.
 *
 * <ul>
 *   <li>Code 429 is REJECTED; 400 to 599 otherwise HTTP_ERROR, both with the HTTP status; "too few tokens" (-100) TRUNCATED; any other
 *       UNKNOWN. The code and message become errorType.
 *   <li>LLMPerf's inter-token time includes the first token and is never taken for ours. Where it, times the gaps, is over one and a half
 *       times the E2E time, the row is marked.
 *   <li>The file has no times: each provider's requests follow one another from 0, a failed one for a second; rows are marked.
 * </ul>
 */
final class LlmPerfReader implements TraceReader {
    private static final long FAILED_MICROS = 1_000_000;
    private static final int TOO_FEW_TOKENS = -100;

    private static final List<String> COLUMNS =
            List.of("provider_model", "error_code", "ttft_s", "end_to_end_latency_s", "input_tokens", "output_tokens");

    private final TraceRows rows;
    private final Map<String, Long> providerClocks = new HashMap<>();

    LlmPerfReader(TraceRows rows) {
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        new CsvTable(file, COLUMNS, rows).read(this::read);
    }

    private void read(Fields fields, long row) {
        RequestEvent event = rows.blank();
        String provider = fields.requiredText("provider_model");
        event.setModel(provider);
        event.setPromptTokens(fields.count("input_tokens"));
        Long e2e = fields.seconds("end_to_end_latency_s");
        Long tokens = fields.count("output_tokens");
        Long ttft = fields.seconds("ttft_s");
        Long interToken = fields.seconds("inter_token_latency_s");
        String error = fields.text("error_code");
        if (error == null) {
            event.setE2eMicros(e2e);
            event.setTtftMicros(ttft);
            event.setOutputTokens(tokens);
        } else {
            fail(event, code(fields, error), fields.text("error_msg"));
            // A request that took no time got no token either: the file's 1 is a placeholder.
            event.setOutputTokens(e2e == null || e2e == 0 ? null : tokens);
        }
        if (isImplausible(interToken, tokens, e2e)) {
            rows.mark(event, Mark.IMPLAUSIBLE_ITL);
        }
        rows.mark(event, Mark.SYNTHETIC_TIME);
        long start = providerClocks.getOrDefault(provider, 0L);
        rows.add(event, row, start, null);
        providerClocks.put(
                provider, event.getE2eMicros() == null ? start + FAILED_MICROS : event.getCompletedAtMicros());
    }

    private static int code(Fields fields, String error) {
        try {
            return new BigDecimal(error).intValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw fields.bad("error_code", "must be a whole number", "'" + error + "'");
        }
    }

    private static void fail(RequestEvent event, int code, @Nullable String message) {
        if (code >= 400 && code <= 599) {
            event.setHttpStatus(code);
        }
        event.setOutcome(
                switch (code) {
                    case 429 -> Outcome.REJECTED;
                    case TOO_FEW_TOKENS -> Outcome.TRUNCATED;
                    default -> event.getHttpStatus() == null ? Outcome.UNKNOWN : Outcome.HTTP_ERROR;
                });
        event.setErrorType(message == null ? Integer.toString(code) : code + ": " + message);
    }

    private static boolean isImplausible(@Nullable Long interToken, @Nullable Long tokens, @Nullable Long e2e) {
        return interToken != null
                && tokens != null
                && e2e != null
                && e2e > 0
                && (double) interToken * (tokens - 1) > 1.5 * e2e;
    }
}
