package io.inferwatch.influx;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a server's answer to a write means. */
public sealed interface WriteAnswer {

    /** All points are stored. */
    record Written() implements WriteAnswer {}

    /**
     * The server stored what it could. The batch is not to be sent again as it is.
     *
     * @param dropped how many points the server says it refused; 0 where it does not say
     * @param field the field that caused it, where the server names one
     */
    record Partial(RefusalReason reason, int dropped, Optional<String> field, String message) implements WriteAnswer {}

    /** Nothing is stored; the same request can never succeed. */
    record Rejected(RefusalReason reason, String message) implements WriteAnswer {}

    /** The request is larger than the server, or something before it, accepts. */
    record TooLarge(String message) implements WriteAnswer {}

    /** The same request may succeed later. */
    record Retryable(String message) implements WriteAnswer {}

    /** No request will succeed before a person changes something; the message says what. */
    record Fatal(String message) implements WriteAnswer {}

    /**
     * What an answer means.
     *
     * @param status HTTP status
     * @param body of the answer; may be empty, and may come from a proxy
     */
    static WriteAnswer classify(int status, String body) {
        if (status == 204) {
            return new Written();
        }
        String error = Classification.serverError(body);
        String shown = "HTTP " + status + ": " + Classification.shorten(error == null ? body : error);
        return switch (status) {
            case 400, 422 ->
                error == null
                        // Not InfluxDB's verdict over the points, but that of something between.
                        ? new Retryable(shown)
                        : Classification.refusal(error, shown);
            case 401 -> new Fatal(shown + "; user, password or token are not accepted: check the credentials");
            case 403 -> new Fatal(shown + "; the user or token may not write: grant it write access");
            case 404 ->
                error == null
                        ? new Retryable(shown)
                        : new Fatal(shown + "; create it with 'inferwatch setup influxdb'");
            case 413 -> new TooLarge(shown);
            case 408, 425, 429 -> new Retryable(shown);
            default -> {
                if (status >= 200 && status < 300) {
                    // InfluxDB says 204: a page of a proxy must not pass for a stored batch.
                    yield new Retryable(shown);
                }
                if (status >= 500) {
                    yield error != null && error.contains("retention policy not found")
                            ? new Fatal(shown + "; create it with 'inferwatch setup influxdb'")
                            : new Retryable(shown);
                }
                yield new Fatal(shown + "; this does not look like InfluxDB's write API: check --influxdb-url");
            }
        };
    }

    /** The steps of {@link #classify}. */
    final class Classification {
        private static final ObjectMapper JSON = new ObjectMapper();
        private static final Pattern DROPPED = Pattern.compile("dropped=(\\d{1,9})");
        private static final Pattern FIELD = Pattern.compile("input field \\\\?\"(.+?)\\\\?\" on measurement");
        private static final int SHOWN_CHARS = 300;

        private Classification() {}

        /** The server's own error text; null when the body is not InfluxDB's. */
        static @Nullable String serverError(String body) {
            try {
                JsonNode json = JSON.readTree(body);
                if (json != null && json.isObject()) {
                    String text = json.path("error").asText(json.path("message").asText(""));
                    return text.isEmpty() ? null : text;
                }
            } catch (JsonProcessingException e) {
                return null;
            }
            return null;
        }

        static WriteAnswer refusal(String error, String shown) {
            RefusalReason reason = reason(error);
            if (error.contains("partial write") || reason == RefusalReason.BEYOND_RETENTION) {
                Matcher dropped = DROPPED.matcher(error);
                Matcher field = FIELD.matcher(error);
                return new Partial(
                        reason,
                        dropped.find() ? Integer.parseInt(dropped.group(1)) : 0,
                        field.find() ? Optional.of(field.group(1)) : Optional.empty(),
                        shown);
            }
            return new Rejected(reason, shown);
        }

        private static RefusalReason reason(String error) {
            if (error.contains("field type conflict")) {
                return RefusalReason.FIELD_TYPE_CONFLICT;
            }
            if (error.contains("beyond retention policy")) {
                return RefusalReason.BEYOND_RETENTION;
            }
            if (error.contains("unable to parse")) {
                return RefusalReason.UNPARSABLE;
            }
            return RefusalReason.REFUSED;
        }

        /** The text on one line, cut where it gets long. */
        static String shorten(String text) {
            String line = text.strip().replaceAll("\\s+", " ");
            if (line.isEmpty()) {
                return "(no text)";
            }
            return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "...";
        }
    }
}
