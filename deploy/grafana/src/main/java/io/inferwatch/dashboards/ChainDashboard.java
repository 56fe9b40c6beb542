package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MEAN;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;
import java.util.stream.IntStream;

/** What happens to a request between its arrival and its answer, and what prompts are like. */
final class ChainDashboard {
    static final String UID = "inferwatch-chain";
    private static final String NO_STAGES =
            "Nothing tells how long stages take. Engines tell queue, prefill and decode by their spans (\"inferwatch probe otlp\"), gateways by the header Server-Timing.";
    private static final String NO_SHAPES =
            "Nothing tells how prompts are built and how long their tokenisation takes. Clients say the one by the header x-prompt-structure, gateways the other by Server-Timing or x-stage-tokenize-ms.";
    private static final String NO_CONTEXT =
            "Nothing tells how long contexts may be, or how much of a prompt came from the cache.";
    private static final String SECONDS = "seconds";
    private static final String PER_SECOND = "per_second";
    private static final String RATIO = "";

    private final Source chain =
            of(Measurement.STAGE).with(Field.VIEW, "model-version").chosenBy("model");
    private final Source templates =
            of(Measurement.STAGE).with(Field.VIEW, "template-model").chosenBy("model");
    private final Source shapes = of(Measurement.PROMPT_SHAPE).chosenBy("model");
    private final Source contexts = of(Measurement.KV_JOINT).chosenBy("model");

    private ChainDashboard() {}

    static Dashboard of(Stored stored) {
        ChainDashboard made = new ChainDashboard();
        return new Dashboard(
                UID,
                "Chain and prompts",
                "Where the time of a request goes from stage to stage, what the chain as a whole sustains, and what prompts do to tokenisation, context and cache.",
                "now-3h",
                List.of(stored.variable("model-version", "model", "Model")),
                List.of(made.stages(), made.prompts(), made.contexts()));
    }

    private Row stages() {
        return Row.of(
                "Service chain",
                Panel.of(
                                Kind.TABLE,
                                "Stages",
                                "Each stage's last minute: mean with its 95 % limits, standard deviation by mean, share of the whole. The row \"chain\" is all stages after each other; the"
                                        + " engine's queue, prefill and decode count instead of \"inference\" where they are known.",
                                NO_STAGES,
                                new Query.OverRange(
                                        chain,
                                        List.of(
                                                Column.of(LAST, Field.estimate(Field.MEAN, SECONDS), "Mean")
                                                        .in(Unit.SECONDS),
                                                Column.of(LAST, Field.low(Field.MEAN, SECONDS), "from")
                                                        .in(Unit.SECONDS),
                                                Column.of(LAST, Field.high(Field.MEAN, SECONDS), "to")
                                                        .in(Unit.SECONDS),
                                                Column.of(LAST, Field.VARIATION, "Variation")
                                                        .in(Unit.NONE),
                                                Column.of(LAST, Field.SHARE, "Share"),
                                                Column.of(LAST, Field.N, "n").in(Unit.COUNT)),
                                        List.of("model", "version", Field.STAGE)))
                        .in(Unit.SHARE)
                        .sized(24, 9),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Asked and sustained",
                                "Requests a second, and those of them that were answered in full within every limit: what the chain, not the model server alone, carries under the load that it has.",
                                NO_STAGES,
                                new Query.OverTime(
                                        chain,
                                        List.of(
                                                Column.of(MEAN, Field.estimate(Field.REQUESTS, PER_SECOND), "asked"),
                                                Column.of(
                                                        MEAN,
                                                        Field.estimate(Field.SUSTAINED, PER_SECOND),
                                                        "sustained")),
                                        List.of("model", "version")))
                        .in(Unit.REQUESTS_PER_SECOND)
                        .sized(8, 8)
                        .leadingTo(LatencyDashboard.UID),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Prefill of the GPU's time",
                                "Prefill's share of prefill and decode together.",
                                NO_STAGES,
                                new Query.OverTime(
                                        chain,
                                        List.of(Column.of(MEAN, Field.PREFILL_OF_GPU, "Prefill")),
                                        List.of("model", "version")))
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Prompt from the cache",
                                "Share of prompt tokens that the prefix cache had, by what servers tell of each request.",
                                NO_STAGES,
                                new Query.OverTime(
                                        chain,
                                        List.of(Column.of(MEAN, Field.CACHED_RATIO, "From the cache")),
                                        List.of("model", "version")))
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Round trip by template",
                                "The last minute of each template: how much of its round trip is preprocessing (parsing, filling in, tokenisation), and how much the GPU's prefill and decode.",
                                NO_STAGES,
                                new Query.OverRange(
                                        templates.with(Field.STAGE, "chain"),
                                        List.of(
                                                Column.of(LAST, Field.estimate(Field.MEAN, SECONDS), "Round trip")
                                                        .in(Unit.SECONDS),
                                                Column.of(LAST, Field.PREPROCESSING_SHARE, "Preprocessing"),
                                                Column.of(LAST, Field.low(Field.PREPROCESSING_SHARE, RATIO), "from"),
                                                Column.of(LAST, Field.high(Field.PREPROCESSING_SHARE, RATIO), "to"),
                                                Column.of(LAST, Field.GPU_SHARE, "GPU")),
                                        List.of("template", "model")))
                        .in(Unit.SHARE)
                        .sized(24, 6));
    }

    private Row prompts() {
        return Row.of(
                "Prompts",
                Panel.of(
                                Kind.TABLE,
                                "Structure and tokens",
                                "The last minute of each structure of prompts: tokens for a character, how many times those of plain prompts of the same length, and the exponent by which the"
                                        + " time of tokenisation grows with length; above 1, long prompts cost more than their share.",
                                NO_SHAPES,
                                new Query.OverRange(
                                        shapes,
                                        List.of(
                                                Column.of(LAST, Field.TOKENS_PER_CHARACTER, "Tokens per character"),
                                                Column.of(LAST, Field.INFLATION, "Inflation")
                                                        .in(Unit.TIMES),
                                                Column.of(LAST, Field.low(Field.INFLATION, RATIO), "from")
                                                        .in(Unit.TIMES),
                                                Column.of(LAST, Field.high(Field.INFLATION, RATIO), "to")
                                                        .in(Unit.TIMES),
                                                Column.of(LAST, Field.TOKENIZE_EXPONENT, "Exponent"),
                                                Column.of(LAST, Field.low(Field.TOKENIZE_EXPONENT, RATIO), "at least"),
                                                Column.of(LAST, Field.high(Field.TOKENIZE_EXPONENT, RATIO), "at most")),
                                        List.of("model", Field.STRUCTURE)))
                        .in(Unit.NONE)
                        .sized(24, 6));
    }

    private Row contexts() {
        return Row.of(
                "Context and cache",
                Panel.of(
                        Kind.HEAT_MAP,
                        "Context windows by fill",
                        "Requests of each minute by how full their context window was: prompt tokens by the greatest context.",
                        NO_CONTEXT,
                        new Query.OverTime(contexts, steps(Field.FILL), List.of())),
                Panel.of(
                        Kind.HEAT_MAP,
                        "Prompts by reuse",
                        "Requests of each minute by the share of their prompt that came from the cache.",
                        NO_CONTEXT,
                        new Query.OverTime(contexts, steps(Field.REUSE), List.of())),
                Panel.of(
                                Kind.TABLE,
                                "Fill and reuse together",
                                "The last minute of each model: mean fill and reuse, and their correlation with its 95 % limits. Below zero, it is the long prompts that the cache does not help.",
                                NO_CONTEXT,
                                new Query.OverRange(
                                        contexts,
                                        List.of(
                                                Column.of(LAST, Field.FILL, "Fill")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, Field.REUSE, "Reuse")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, Field.CORRELATION, "Correlation"),
                                                Column.of(LAST, Field.low(Field.CORRELATION, RATIO), "from"),
                                                Column.of(LAST, Field.high(Field.CORRELATION, RATIO), "to"),
                                                Column.of(LAST, Field.N, "n").in(Unit.COUNT)),
                                        List.of("model")))
                        .in(Unit.NONE)
                        .sized(24, 5));
    }

    private static List<Column> steps(String figure) {
        return IntStream.range(0, 10)
                .mapToObj(step ->
                        Column.of(SUM, Field.step(figure, 10 * step), "%d-%d %%".formatted(10 * step, 10 * step + 10)))
                .toList();
    }

    private static Source of(Measurement measurement) {
        return Source.ofWindows(RetentionPolicy.R1M, measurement.measurementName());
    }
}
