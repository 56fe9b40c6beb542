package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.MEAN;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.analytics.drift.Verdict;
import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import java.util.List;

/** Did it get slower, or did the traffic change. */
final class DriftDashboard {
    static final String UID = "inferwatch-drift";
    private static final String NO_VERDICTS =
            "No verdicts yet. Drift is judged against a baseline, which has to be filled first.";
    private static final String NO_MINUTES =
            "No full minute in this time range. A minute shows up a few seconds after its end.";
    private static final String NO_COMPARISONS =
            "No comparisons yet. They need two classes, templates or turns with traffic in the same minute.";
    private static final RetentionPolicy POLICY = RetentionPolicy.R1M;
    private static final List<String> COMPARED = List.of(
            Field.COMPARISON,
            "class",
            "template",
            "turn",
            "state",
            "each-turn",
            "guardrail",
            "configuration",
            "model",
            "version",
            Field.AGAINST,
            Field.METRIC,
            Field.STATISTIC);
    private static final List<String> SERIES = List.of("model", "version", Field.METRIC, Field.STATISTIC);
    private static final String ADJUSTED_VERDICT = Field.adjusted(Field.VERDICT);
    private static final String ADJUSTED_CHANGE = Field.adjusted(Field.CHANGE);

    private final Stored stored;
    private final Source drift;
    private final Source mixes;

    private DriftDashboard(Stored stored) {
        this.stored = stored;
        this.drift = of(Measurement.DRIFT);
        this.mixes = stored.view(RetentionPolicy.R1M, "mix-model-version").chosenBy("model");
    }

    static Dashboard of(Stored stored) {
        DriftDashboard made = new DriftDashboard(stored);
        return new Dashboard(
                UID,
                "Drift and mix",
                "Whether latencies changed against their baselines, beyond chance and beyond what a change of the traffic's mix explains.",
                "now-3h",
                List.of(stored.variable("model-version", "model", "Model")),
                List.of(made.verdicts(), made.changes(), made.traffic()));
    }

    private Row verdicts() {
        String drifted = InfluxQl.identifier("Verdict") + " = " + InfluxQl.string(Verdict.DRIFT.name());
        return Row.of(
                "Verdicts",
                Panel.of(
                                Kind.TABLE,
                                "Drifted now",
                                "Series whose last verdict is DRIFT: worse by the threshold at least, beyond what chance explains. \"Adjusted\" is the change with the"
                                        + " baseline's mix of prompts; the rest is other traffic, not slower servers.",
                                "Nothing has drifted, or nothing has been judged yet: the table below tells which.",
                                new Query.LastStates(
                                        drift,
                                        List.of(
                                                Column.of(LAST, Field.VERDICT, "Verdict"),
                                                Column.of(LAST, Field.CHANGE, "Change"),
                                                Column.of(LAST, Field.CHANGE_LOW, "from"),
                                                Column.of(LAST, Field.CHANGE_HIGH, "to"),
                                                Column.of(LAST, ADJUSTED_CHANGE, "Adjusted"),
                                                Column.of(LAST, Field.MIX_SHARE, "Due to mix")),
                                        SERIES,
                                        drifted))
                        .in(Unit.SHARE)
                        .sized(24, 5)
                        .leadingTo(LatencyDashboard.UID),
                Panel.of(
                                Kind.TABLE,
                                "Last verdicts",
                                "The last verdict on each model and version. INCONCLUSIVE: a change of the threshold could have gone unseen; \"could see\" says how large a change"
                                        + " would have been noticed.",
                                NO_VERDICTS,
                                new Query.OverRange(
                                        drift,
                                        List.of(
                                                Column.of(LAST, Field.VERDICT, "Verdict"),
                                                Column.of(LAST, ADJUSTED_VERDICT, "Adjusted verdict"),
                                                Column.of(LAST, Field.CHANGE, "Change"),
                                                Column.of(LAST, Field.DETECTABLE_CHANGE, "Could see"),
                                                Column.of(LAST, Field.N, "Now n")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, Field.N_BASELINE, "Baseline n")
                                                        .in(Unit.COUNT)),
                                        SERIES))
                        .in(Unit.SHARE)
                        .sized(24, 7));
    }

    private Row changes() {
        Source ttft = drift.with(Field.METRIC, "ttft");
        return Row.of(
                "Changes over time",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Change of TTFT",
                                "The minutes judged against those before, by model, version and statistic. Zero is no change.",
                                NO_VERDICTS,
                                new Query.OverTime(
                                        ttft,
                                        List.of(Column.of(MEAN, Field.CHANGE, "Change")),
                                        List.of("model", "version", Field.STATISTIC)))
                        .in(Unit.SHARE)
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Change of TTFT, same mix",
                                "The same with the baseline's mix of prompts and cache hits: what is left is the servers' doing.",
                                NO_VERDICTS,
                                new Query.OverTime(
                                        ttft,
                                        List.of(Column.of(MEAN, ADJUSTED_CHANGE, "Adjusted")),
                                        List.of("model", "version", Field.STATISTIC)))
                        .in(Unit.SHARE)
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Mean TTFT: mix against rate",
                                "The change of the mean in two parts: what other traffic brought (mix) and what changed for the same traffic (rate).",
                                NO_VERDICTS,
                                new Query.OverTime(
                                        of(Measurement.MIX).with(Field.METRIC, "ttft"),
                                        List.of(
                                                Column.of(MEAN, Field.MEAN_MIX, "mix"),
                                                Column.of(MEAN, Field.MEAN_RATE, "rate")),
                                        List.of("model", "version")))
                        .in(Unit.SECONDS)
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Comparisons",
                                "The last minute of workload classes, templates, turns, states, guardrails and configurations against one of their kind at the same time, where there was enough to tell: the change of the statistic with its limits.",
                                NO_COMPARISONS,
                                new Query.LastStates(
                                        Source.ofWindows(POLICY, Measurement.COMPARISON.measurementName()),
                                        List.of(
                                                Column.of(LAST, Field.VALUE, "Value"),
                                                Column.of(LAST, Field.VERDICT, "Verdict"),
                                                Column.of(LAST, Field.CHANGE, "Change"),
                                                Column.of(LAST, Field.CHANGE_LOW, "from"),
                                                Column.of(LAST, Field.CHANGE_HIGH, "to"),
                                                Column.of(LAST, Field.DETECTABLE_CHANGE, "Could see")),
                                        COMPARED,
                                        List.of(
                                                Field.COMPARISON,
                                                "model",
                                                Field.METRIC,
                                                Field.STATISTIC,
                                                Field.AGAINST),
                                        InfluxQl.identifier("Verdict") + " <> "
                                                + InfluxQl.string(Verdict.NOT_ESTIMABLE.name())))
                        .in(Unit.SHARE)
                        .sized(24, 8));
    }

    private Row traffic() {
        return Row.of(
                "Traffic",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Requests by mix",
                                "Requests of each minute by length of prompt and share of it in the prefix cache (cold, warm from a tenth, hot from a half): what the adjustment compares like with like.",
                                NO_MINUTES,
                                new Query.OverTime(
                                        mixes,
                                        List.of(Column.of(SUM, stored.field("requests"), "Requests")),
                                        List.of("mix")))
                        .stacked(),
                Panel.of(
                                Kind.HEAT_MAP,
                                "TTFT P50 by mix",
                                "One line a class of prompts. A line that stands out alone is that traffic's; all together, the servers'.",
                                NO_MINUTES,
                                new Query.OverTime(
                                        mixes,
                                        List.of(Column.of(MAX, stored.field("ttft", Statistic.P50), "TTFT P50")),
                                        List.of("mix")))
                        .in(Unit.SECONDS),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Prompt length",
                                "Median and P99 of prompt tokens over all requests.",
                                NO_MINUTES,
                                new Query.OverTime(
                                        stored.view(RetentionPolicy.R1M, "fleet"),
                                        List.of(
                                                Column.of(MAX, stored.field("prompt_tokens", Statistic.P50), "P50")
                                                        .toned(Tone.CALM),
                                                Column.of(MAX, stored.field("prompt_tokens", Statistic.P99), "P99")
                                                        .toned(Tone.TAIL)),
                                        List.of()))
                        .in(Unit.TOKENS)
                        .sized(12, 7),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Answer length",
                                "Median and P99 of output tokens over all requests.",
                                NO_MINUTES,
                                new Query.OverTime(
                                        stored.view(RetentionPolicy.R1M, "fleet"),
                                        List.of(
                                                Column.of(MAX, stored.field("output_tokens", Statistic.P50), "P50")
                                                        .toned(Tone.CALM),
                                                Column.of(MAX, stored.field("output_tokens", Statistic.P99), "P99")
                                                        .toned(Tone.TAIL)),
                                        List.of()))
                        .in(Unit.TOKENS)
                        .sized(12, 7));
    }

    private static Source of(Measurement measurement) {
        return Source.ofWindows(POLICY, measurement.measurementName())
                .with(Field.VIEW, "mix-model-version")
                .chosenBy("model");
    }
}
