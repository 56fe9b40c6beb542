package io.inferwatch.probes.replay;

import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of a trace while it is read, and what was remarkable about them. Instants of these events are on the file's own clock. */
final class TraceRows {
    private static final int WARNINGS_SHOWN = 20;

    private final TraceOptions options;
    private final List<RequestEvent> events = new ArrayList<>();
    private final Map<Mark, Long> marked = new EnumMap<>(Mark.class);
    private final List<String> warnings = new ArrayList<>();
    private final Map<List<String>, List<String>> markLists = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();
    private final IdentityHashMap<RequestEvent, int[]> prefixBlocks = new IdentityHashMap<>();
    private long warningsLeftOut;
    private long skipped;

    TraceRows(TraceOptions options) {
        this.options = options;
    }

    /** An event that says nothing but that a request ended well. */
    RequestEvent blank() {
        RequestEvent event = new RequestEvent();
        event.setTraffic(Traffic.PRODUCTION);
        event.setOutcome(Outcome.OK);
        event.setSampleWeight(1);
        event.setSource(Source.REPLAY);
        event.setMarks(List.of());
        event.setGpuUuids(List.of());
        event.setConfiguration(Map.of());
        event.setGuardrails(List.of());
        event.setEndpoint(Endpoint.UNKNOWN);
        event.setTokenSource(TokenSource.RECORDED);
        return event;
    }

    /**
     * Adds a row that is otherwise complete: times, what it lacks, and what follows from the rest.
     *
     * @param row from 1, header not counted
     * @param startedMicros on the file's clock; the end lies the E2E time later, or at the same instant when that is unknown
     * @param session that decides where it ran; null for none
     */
    void add(RequestEvent event, long row, long startedMicros, @Nullable String session) {
        Long e2e = event.getE2eMicros();
        event.setStartedAtMicros(startedMicros);
        event.setCompletedAtMicros(e2e == null ? startedMicros : startedMicros + e2e);
        Long ttft = event.getTtftMicros();
        if (ttft != null && e2e != null && ttft > e2e) {
            mark(event, Mark.IMPLAUSIBLE_TTFT);
        }
        event.setTpotNanos(timePerOutputToken(event));
        addAsRecorded(event, row, session);
    }

    /** Adds a row with its times and all, and only fills in dimensions that it lacks. */
    void addAsRecorded(RequestEvent event, long row, @Nullable String session) {
        event.setRow(row);
        if (event.getModel() == null && options.model().isPresent()) {
            event.setModel(options.model().get());
        }
        if (session != null && event.getSession() == null) {
            event.setSession(Placement.digits("session", session));
        }
        if (Placement.complete(event, session == null ? "row:" + row : session)) {
            mark(event, Mark.SYNTHETIC_DIMENSIONS);
        }
        share(event);
        events.add(event);
    }

    /** The blocks of the request's prompt, equal numbers for equal text after equal text. */
    void prefixBlocks(RequestEvent event, int[] blocks) {
        prefixBlocks.put(event, blocks);
    }

    IdentityHashMap<RequestEvent, int[]> prefixBlocks() {
        return prefixBlocks;
    }

    void mark(RequestEvent event, Mark mark) {
        List<String> marks = new ArrayList<>(event.getMarks());
        marks.add(mark.label());
        event.setMarks(markLists.computeIfAbsent(marks, List::copyOf));
        marked.merge(mark, 1L, Long::sum);
    }

    void warn(String warning) {
        if (warnings.size() < WARNINGS_SHOWN) {
            warnings.add(warning);
        } else {
            warningsLeftOut++;
        }
    }

    /** Applies the limit for prompts. Scaling needs the longest prompt, so this comes when all rows are there. */
    void limitPrompts() {
        if (options.maxPromptTokens().isEmpty()) {
            return;
        }
        long limit = options.maxPromptTokens().getAsLong();
        long longest = events.stream()
                .map(RequestEvent::getPromptTokens)
                .mapToLong(tokens -> tokens == null ? 0 : tokens)
                .max()
                .orElse(0);
        if (longest <= limit) {
            return;
        }
        switch (options.overLimit()) {
            case SKIP -> {
                int before = events.size();
                events.removeIf(event -> event.getPromptTokens() != null && event.getPromptTokens() > limit);
                skipped += before - events.size();
            }
            case CLIP -> {
                for (RequestEvent event : events) {
                    if (event.getPromptTokens() != null && event.getPromptTokens() > limit) {
                        setPrompt(event, limit);
                        mark(event, Mark.PROMPT_CLIPPED);
                    }
                }
            }
            case SCALE -> {
                for (RequestEvent event : events) {
                    if (event.getPromptTokens() != null) {
                        double factor = (double) limit / longest;
                        Long cached = event.getCachedTokens();
                        event.setCachedTokens(cached == null ? null : (Long) (long) (cached * factor));
                        setPrompt(event, Math.max(1, Math.round(event.getPromptTokens() * factor)));
                        mark(event, Mark.PROMPT_SCALED);
                    }
                }
            }
        }
    }

    List<RequestEvent> events() {
        return events;
    }

    Map<Mark, Long> marked() {
        return marked;
    }

    List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        if (warningsLeftOut > 0) {
            all.add("and " + warningsLeftOut + " more warnings");
        }
        return all;
    }

    long skipped() {
        return skipped;
    }

    private static void setPrompt(RequestEvent event, long tokens) {
        event.setPromptTokens(tokens);
        if (event.getCachedTokens() != null) {
            event.setCachedTokens(Math.min(event.getCachedTokens(), tokens));
        }
    }

    /** By Inferwatch's definition, whatever the file's tool called by that name: (E2E - TTFT) / (output tokens - 1). */
    private static @Nullable Long timePerOutputToken(RequestEvent event) {
        Long ttft = event.getTtftMicros();
        Long e2e = event.getE2eMicros();
        Long tokens = event.getOutputTokens();
        if (ttft == null || e2e == null || tokens == null || tokens <= 1 || ttft > e2e) {
            return null;
        }
        return Math.round((e2e - ttft) * 1_000.0 / (tokens - 1));
    }

    /** Files repeat few texts many times; one copy of each is enough. */
    private void share(RequestEvent event) {
        event.setReplica(shared(event.getReplica()));
        event.setNode(shared(event.getNode()));
        event.setRegion(shared(event.getRegion()));
        event.setPool(shared(event.getPool()));
        event.setVersion(shared(event.getVersion()));
        event.setTenant(shared(event.getTenant()));
        if (event.getModel() != null) {
            event.setModel(shared(event.getModel()));
        }
        if (event.getSession() != null) {
            event.setSession(shared(event.getSession()));
        }
        if (event.getFinishReason() != null) {
            event.setFinishReason(shared(event.getFinishReason()));
        }
        if (event.getWorkloadClass() != null) {
            event.setWorkloadClass(shared(event.getWorkloadClass()));
        }
    }

    private String shared(String text) {
        return texts.computeIfAbsent(text, same -> same);
    }
}
