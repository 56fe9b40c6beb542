package io.inferwatch.probes.otlp;

import io.inferwatch.schemas.RequestEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a request can be found by: its {@code traceparent} on the wire, and its ids. vLLM makes its ids of the client's {@code x-request-id}:
 * {@code chatcmpl-ID} and {@code cmpl-ID-CHOICE}, of late with eight more hexadecimal digits at the end.
 */
final class JoinKeys {
    private static final String TRACE = "trace:";
    private static final String ID = "id:";
    private static final Pattern ENGINE_ID =
            Pattern.compile("(?:chatcmpl|cmpl|embd)-(.+?)(?:-\\d{1,3})?(?:-[0-9a-f]{8})?");

    private JoinKeys() {}

    /** The keys, the trace's first. */
    static List<String> of(RequestEvent event) {
        Set<String> keys = new LinkedHashSet<>();
        if (event.getTraceId() != null && event.getParentSpanId() != null) {
            keys.add(TRACE + event.getTraceId() + event.getParentSpanId());
        }
        if (event.getRequestId() != null) {
            keys.add(ID + event.getRequestId());
        }
        String engineId = event.getEngineRequestId();
        if (engineId != null) {
            Matcher made = ENGINE_ID.matcher(engineId);
            if (made.matches()) {
                keys.add(ID + made.group(1));
                // An id of the client's own may end like a choice.
                keys.add(ID + engineId.substring(engineId.indexOf('-') + 1));
            } else {
                keys.add(ID + engineId);
            }
        }
        return List.copyOf(keys);
    }

    /** How many ids two lists have in common. */
    static int sharedIds(List<String> a, List<String> b) {
        int shared = 0;
        for (String key : a) {
            if (key.startsWith(ID) && b.contains(key)) {
                shared++;
            }
        }
        return shared;
    }

    /** Whether both have ids, and none in common. */
    static boolean haveDifferentIds(List<String> a, List<String> b) {
        return hasId(a) && hasId(b) && sharedIds(a, b) == 0;
    }

    private static boolean hasId(List<String> keys) {
        return keys.stream().anyMatch(key -> key.startsWith(ID));
    }
}
