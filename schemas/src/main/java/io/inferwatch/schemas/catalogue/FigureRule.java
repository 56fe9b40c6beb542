package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Figures that are computed of windows, for each group of series that differ in nothing but the dimensions which the kind puts together.
 *
 * @param name of the figures
 * @param view a view of the catalogue
 */
public record FigureRule(String name, Kind kind, View view) {
    /** What is computed, and what it needs. */
    @SuppressWarnings("ImmutableEnumChecker") // its map is Map.of
    public enum Kind {
        /** Stages of the service chain, each series for itself. */
        STAGE(Map.of(
                Metric.Origin.REQUESTS,
                new Input(
                        List.of(),
                        List.of(
                                "gateway",
                                "authentication",
                                "guardrail",
                                "parse",
                                "templating",
                                "tokenize",
                                "inference",
                                "queue",
                                "prefill",
                                "decode",
                                "assembly",
                                "postprocess",
                                "requests",
                                "good",
                                "prefilled_tokens",
                                "cached_tokens")))),
        /** Tokens for a character, and time of tokenisation against length, by the prompts' structure. */
        PROMPT_SHAPE(Map.of(
                Metric.Origin.REQUESTS,
                new Input(List.of("structure", "length"), List.of("tokenize", "prompt_tokens", "prompt_characters")))),
        /** Use of the context window and of the cache together. */
        KV_JOINT(Map.of(Metric.Origin.REQUESTS, new Input(List.of("kv"), List.of("context_fill", "cache_reuse")))),
        /** Where a device's memory goes, its fragmentation, and how both go on: windows of the device, and of the engines on it. */
        MEMORY(Map.of(
                Metric.Origin.GPU,
                new Input(
                        List.of("node"),
                        List.of(
                                "gpu_memory",
                                "gpu_memory_used",
                                "allocator_allocated",
                                "allocator_reserved",
                                "allocator_inactive_split",
                                "allocator_cache_share",
                                "allocator_split_share",
                                "allocator_external_share",
                                "allocator_unusable_share",
                                "allocation_retries",
                                "out_of_memory")),
                Metric.Origin.ENGINE,
                new Input(List.of("replica"), List.of("weight_memory", "kv_cache_memory", "graph_memory")))),
        /** Use and waste of a replica's KV cache, and how these go on: windows of its engine, and of its requests. */
        KV_CACHE(Map.of(
                Metric.Origin.ENGINE,
                new Input(
                        List.of("model", "version"),
                        List.of(
                                "kv_use",
                                "kv_waste",
                                "kv_stranded",
                                "kv_blocks",
                                "kv_used_blocks",
                                "kv_block_tokens",
                                "decode_tokens",
                                "running_requests",
                                "preemptions")),
                Metric.Origin.REQUESTS,
                new Input(List.of("version"), List.of("sequence_tokens")))),
        /** What padding lengths to boundaries takes, and which boundaries would take less: each series by itself, over days. */
        PADDING(Map.of(Metric.Origin.REQUESTS, new Input(List.of(), List.of("sequence_tokens"))));

        /**
         * Windows of one kind of events that the figures are computed of.
         *
         * @param across the dimensions that are put together; the group is told by the others
         * @param metrics that are read; one that a window lacks is not an error
         */
        public record Input(List<String> across, List<String> metrics) {}

        private final Map<Metric.Origin, Input> inputs;

        Kind(Map<Metric.Origin, Input> inputs) {
            this.inputs = inputs;
        }

        /** What is read of windows of a kind of events; empty where these do not serve. */
        public Optional<Input> input(Metric.Origin of) {
            return Optional.ofNullable(inputs.get(of));
        }

        /** Whether a group is made of windows of several views, and its figures go on from the windows before. */
        public boolean isContinued() {
            return this == MEMORY || this == KV_CACHE || this == PADDING;
        }

        /** The measurement that its results are stored in. */
        public String measurement() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is read of the rule's windows. */
    public Kind.Input input() {
        return kind.input(view.of()).orElseThrow();
    }

    /** The figures of an entry; empty with a problem noted when its view does not serve. */
    static Optional<FigureRule> read(String name, Settings entry, List<View> views) {
        Kind kind = entry.choice("kind", Kind.class);
        String viewName = entry.text("view");
        Optional<View> found =
                views.stream().filter(view -> view.name().equals(viewName)).findFirst();
        if (found.isEmpty()) {
            List<String> names = views.stream().map(View::name).toList();
            if (!viewName.isEmpty()) {
                entry.problem(
                        "view", "a view of the catalogue", "'" + viewName + "'" + Settings.nearest(viewName, names));
            }
            return Optional.empty();
        }
        View view = found.get();
        Optional<Kind.Input> input = kind.input(view.of());
        if (input.isEmpty()) {
            entry.problem(
                    "view",
                    "one of "
                            + kind.inputs.keySet().stream()
                                    .sorted()
                                    .map(FigureRule::label)
                                    .collect(Collectors.joining(" or ")),
                    "'" + viewName + "'");
            return Optional.empty();
        }
        List<String> across = input.get().across();
        if (!view.dimensionNames().containsAll(across)) {
            entry.problem(
                    "view", "one of " + label(view.of()) + " by " + String.join(", ", across), "'" + viewName + "'");
        }
        List<String> lacking = input.get().metrics().stream()
                .filter(metric -> !view.metrics().isEmpty() && !view.metrics().contains(metric))
                .toList();
        if (!lacking.isEmpty()) {
            entry.problem("view", "one that keeps " + String.join(", ", lacking), "'" + viewName + "'");
        }
        return Optional.of(new FigureRule(name, kind, view));
    }

    private static String label(Metric.Origin origin) {
        return origin.name().toLowerCase(Locale.ROOT);
    }
}
