package io.inferwatch.local;

import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The windows that a list of requests must give, computed the slow and obvious way: all values of a window in a list, sorted. The views and
 * buckets are written down here once more on purpose: a change of the catalogue that was not meant fails the test.
 */
final class ExactWindows {
    static final long TEN_SECONDS = 10_000_000;
    static final long MINUTE = 60_000_000;
    static final long HOUR = 3_600_000_000L;

    static final Map<String, List<String>> VIEWS = views();

    /** Views that keep some metrics alone. */
    private static final Map<String, Set<String>> KEPT = Map.of(
            "node-prompt", Set.of("requests", "ttft", "e2e"),
            "tenant-replica", Set.of("requests", "ttft", "prefilled_tokens", "generated_tokens"));

    private static final long[] PROMPT_EDGES = {512, 2048, 8192, 32768, 131072};
    private static final String[] PROMPTS = {"0-511", "512-2047", "2048-8191", "8192-32767", "32768-131071", "131072+"};

    /** One window of one series. */
    record WindowKey(String view, Map<String, String> dimensions, long windowMicros, long endMicros) {}

    /** What a window holds: values by metric, sorted, and sums. */
    static final class Window {
        private final Map<String, List<Long>> values = new TreeMap<>();
        private final Map<String, Long> sums = new TreeMap<>();
        private final Set<String> kept;
        private long requests;

        /** With these metrics alone; with all where none are named. */
        Window(Set<String> kept) {
            this.kept = kept;
        }

        long requests() {
            return requests;
        }

        Map<String, List<Long>> values() {
            return values;
        }

        /** The sums that are not zero. */
        Map<String, Long> sums() {
            return sums;
        }

        private void add(RecordedRequest request) {
            requests++;
            sum("requests", 1);
            value("ttft", request.ttftMicros());
            value("e2e", request.e2eMicros());
            value("tpot", request.tpotNanos());
            value("prompt_tokens", request.promptTokens());
            value("output_tokens", request.outputTokens());
            value("sequence_tokens", request.promptTokens() + request.outputTokens());
            value("cache_reuse", 1_000_000 * request.cachedTokens() / Math.max(1, request.promptTokens()));
            sum("completed", 1);
            sum("prefilled_tokens", request.promptTokens() - request.cachedTokens());
            sum("cached_tokens", request.cachedTokens());
            sum("generated_tokens", request.outputTokens());
            // Within the default limits: a first token within 2 s, 200 ms a token. What was not measured is not good.
            Long ttft = request.ttftMicros();
            Long tpot = request.tpotNanos();
            if (ttft != null && ttft <= 2_000_000 && tpot != null && tpot <= 200_000_000) {
                sum("good", 1);
            }
        }

        private void value(String metric, @Nullable Long value) {
            if (value != null && isKept(metric)) {
                values.computeIfAbsent(metric, m -> new ArrayList<>()).add(value);
            }
        }

        private void sum(String metric, long value) {
            if (value != 0 && isKept(metric)) {
                sums.merge(metric, value, Long::sum);
            }
        }

        private boolean isKept(String metric) {
            return kept.isEmpty() || kept.contains(metric);
        }
    }

    private ExactWindows() {}

    /**
     * All windows of one length of all views.
     *
     * @param events where and when each request ran, as it was published; what it measured comes from the file
     */
    static Map<WindowKey, Window> of(long length, List<RecordedRequest> requests, Map<Long, RequestEvent> events) {
        Map<WindowKey, Window> windows = new HashMap<>();
        for (RecordedRequest request : requests) {
            RequestEvent event = events.get(request.row());
            if (event == null) {
                throw new AssertionError("row " + request.row() + " was never published");
            }
            Map<String, String> all = dimensions(request, event);
            for (Map.Entry<String, List<String>> view : VIEWS.entrySet()) {
                Map<String, String> own = new TreeMap<>();
                view.getValue().forEach(dimension -> own.put(dimension, all.get(dimension)));
                long end = event.getCompletedAtMicros() / length * length + length;
                windows.computeIfAbsent(
                                new WindowKey(view.getKey(), own, length, end),
                                key -> new Window(KEPT.getOrDefault(view.getKey(), Set.of())))
                        .add(request);
            }
        }
        for (Window window : windows.values()) {
            window.values.values().forEach(Collections::sort);
        }
        return windows;
    }

    /** The order statistic of rank ceil(q n). */
    static long quantile(List<Long> sorted, double q) {
        return sorted.get((int) Math.max(1, Math.ceil(q * sorted.size())) - 1);
    }

    private static Map<String, String> dimensions(RecordedRequest request, RequestEvent event) {
        Map<String, String> all = new HashMap<>();
        all.put("region", text(event.getRegion()));
        all.put("pool", text(event.getPool()));
        all.put("node", text(event.getNode()));
        all.put("replica", text(event.getReplica()));
        all.put("version", text(event.getVersion()));
        all.put("tenant", text(event.getTenant()));
        all.put("model", text(request.model()));
        all.put("template", "none");
        all.put("class", "none");
        all.put("turn", turn(event.getTurn()));
        all.put("prompt", prompt(request.promptTokens()));
        all.put("mix", prompt(request.promptTokens()) + "." + cache(request));
        return all;
    }

    private static String text(@Nullable String value) {
        return value == null ? "none" : value;
    }

    private static String turn(@Nullable Integer turn) {
        if (turn == null) {
            return "none";
        }
        return turn >= 8 ? "8+" : turn >= 5 ? "5-7" : turn >= 3 ? "3-4" : Integer.toString(turn);
    }

    private static String prompt(long tokens) {
        int bucket = 0;
        for (long edge : PROMPT_EDGES) {
            bucket += tokens >= edge ? 1 : 0;
        }
        return PROMPTS[bucket];
    }

    private static String cache(RecordedRequest request) {
        double percent = 100.0 * request.cachedTokens() / Math.max(1, request.promptTokens());
        return percent >= 50 ? "hot" : percent >= 10 ? "warm" : "cold";
    }

    private static Map<String, List<String>> views() {
        Map<String, List<String>> views = new TreeMap<>();
        views.put("fleet", List.of());
        views.put("region-model", List.of("region", "model"));
        views.put("model-version", List.of("model", "version"));
        views.put("pool-model", List.of("pool", "model"));
        views.put("node", List.of("node"));
        views.put("replica-version", List.of("replica", "version"));
        views.put("tenant-model", List.of("tenant", "model"));
        views.put("tenant-replica", List.of("tenant", "replica"));
        views.put("turn-model-version", List.of("turn", "model", "version"));
        views.put("template-model", List.of("template", "model"));
        views.put("class-model-version", List.of("class", "model", "version"));
        views.put("mix-model-version", List.of("mix", "model", "version"));
        views.put("node-prompt", List.of("node", "prompt"));
        return views;
    }
}
