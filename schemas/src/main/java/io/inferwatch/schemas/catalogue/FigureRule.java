package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Figures that are computed of windows, for each group of series that differ in nothing but the dimensions which the kind puts together.
 *
 * @param name of the figures
 * @param view a view of the catalogue
 */
public record FigureRule(String name, Kind kind, View view) {
    /** What is computed, and what it needs. */
    @SuppressWarnings("ImmutableEnumChecker") // its lists are List.of
    public enum Kind {
        /** Stages of the service chain, each series for itself. */
        STAGE(
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
                        "cached_tokens")),
        /** Tokens for a character, and time of tokenisation against length, by the prompts' structure. */
        PROMPT_SHAPE(List.of("structure", "length"), List.of("tokenize", "prompt_tokens", "prompt_characters")),
        /** Use of the context window and of the cache together. */
        KV_JOINT(List.of("kv"), List.of("context_fill", "cache_reuse"));

        private final List<String> across;
        private final List<String> metrics;

        Kind(List<String> across, List<String> metrics) {
            this.across = across;
            this.metrics = metrics;
        }

        /** The dimensions that are put together; the group is told by the others. */
        public List<String> across() {
            return across;
        }

        /** The metrics that are read; one that a window lacks is not an error. */
        public List<String> metrics() {
            return metrics;
        }

        /** The measurement that its results are stored in. */
        public String measurement() {
            return name().toLowerCase(Locale.ROOT);
        }
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
        if (view.of() != Metric.Origin.REQUESTS || !view.dimensionNames().containsAll(kind.across)) {
            entry.problem("view", "one of requests by " + String.join(", ", kind.across), "'" + viewName + "'");
        }
        List<String> lacking = kind.metrics.stream()
                .filter(metric -> !view.metrics().isEmpty() && !view.metrics().contains(metric))
                .toList();
        if (!lacking.isEmpty()) {
            entry.problem("view", "one that keeps " + String.join(", ", lacking), "'" + viewName + "'");
        }
        return Optional.of(new FigureRule(name, kind, view));
    }
}
