package io.inferwatch.schemas.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a catalogue says of drift, mix and comparisons. */
class JudgedCatalogueTest {
    private static final MetricCatalogue SHIPPED = MetricCatalogue.shipped();

    /** The least catalogue that says all of it; tests break one line of it each. */
    private static final String SMALL = """
            metrics:
              requests: {of: requests, kind: sum, value: "1", unit: requests, better: higher, help: Requests}
              failed:   {of: requests, kind: sum, value: "1", unit: requests, outcomes: [TIMEOUT], help: Failed}
              ttft:     {of: requests, kind: quantile, value: ttftMicros, unit: microseconds, better: lower, help: First token}
              prompts:  {of: requests, kind: quantile, value: promptTokens, unit: tokens, help: Length}
              open:     {of: heartbeats, kind: gauge, value: openRequests, unit: requests, help: Open}
            ratios:
              error_ratio: {numerator: failed, denominator: requests, better: lower, help: Errors}
            dimensions:
              model:   {field: model, limit: 50}
              prompt:  {field: promptTokens, edges: [512], labels: [short, long]}
              cache:   {field: cachedTokens, edges: [50], labels: [cold, hot]}
              both:    {product: [prompt, cache]}
            views:
              fleet:  {by: [], max-series: 1, drift: true}
              mixed:  {by: [model, prompt], max-series: 9, metrics: [ttft], drift: true, mix: prompt}
              product: {by: [both, model], max-series: 9, drift: true, mix: both, anomaly: true, peers: model}
            drift:
              of: [ttft.p99, error_ratio.share, requests.rate]
              thresholds: {ttft: 5%, error_ratio: 0.5%, prompts: 12.25%}
            baselines:
              prompt: {view: mixed, across: prompt, against: short, of: [ttft.mean]}
              length: {view: product, across: model, against: m, of: [prompts.p50, error_ratio.share], pinned: true, alert: true}
            anomalies:
              of: [ttft.p50, open.mean, error_ratio.share]
            """;

    @Test
    void allOfItIsRead() {
        MetricCatalogue small = MetricCatalogue.parse("test", SMALL);

        assertThat(small.drift().of())
                .containsExactly(
                        new Watch("ttft", Watch.Statistic.P99),
                        new Watch("error_ratio", Watch.Statistic.SHARE),
                        new Watch("requests", Watch.Statistic.RATE));
        assertThat(small.drift().thresholds()).containsOnlyKeys("ttft", "error_ratio", "prompts");
        assertThat(small.drift().threshold("ttft")).isCloseTo(0.05, within(1e-15));
        assertThat(small.drift().threshold("error_ratio")).isCloseTo(0.005, within(1e-15));
        assertThat(small.drift().threshold("prompts")).isCloseTo(0.1225, within(1e-15));
        assertThat(small.drift().threshold("requests")).isEqualTo(0.03);
        assertThat(small.view("fleet").orElseThrow().mix()).isEmpty();
        assertThat(small.view("mixed").orElseThrow().mix()).contains("prompt");
        assertThat(small.view("product").orElseThrow().mix()).contains("both");
        assertThat(small.views()).allMatch(View::drift);
        assertThat(small.anomalies())
                .containsExactly(
                        new Watch("ttft", Watch.Statistic.P50),
                        new Watch("open", Watch.Statistic.MEAN),
                        new Watch("error_ratio", Watch.Statistic.SHARE));
        assertThat(small.views()).filteredOn(View::anomaly).singleElement().satisfies(view -> assertThat(view.peers())
                .contains("model"));
        assertThat(small.baselines())
                .containsExactly(
                        new BaselineRule(
                                "prompt",
                                "mixed",
                                "prompt",
                                "short",
                                List.of(new Watch("ttft", Watch.Statistic.MEAN)),
                                false,
                                false),
                        new BaselineRule(
                                "length",
                                "product",
                                "model",
                                "m",
                                List.of(
                                        new Watch("prompts", Watch.Statistic.P50),
                                        new Watch("error_ratio", Watch.Statistic.SHARE)),
                                true,
                                true));
        assertThat(small.better("ttft")).isEqualTo(Metric.Better.LOWER);
        assertThat(small.better("requests")).isEqualTo(Metric.Better.HIGHER);
        assertThat(small.better("error_ratio")).isEqualTo(Metric.Better.LOWER);
        assertThat(small.better("prompts")).isEqualTo(Metric.Better.NEITHER);
        assertThat(small.better("nothing")).isEqualTo(Metric.Better.NEITHER);
    }

    @Test
    void aCatalogueNeedNotJudgeAnything() {
        String silent = SMALL.substring(0, SMALL.indexOf("drift:\n"))
                .replace(", drift: true", "")
                .replace(", mix: prompt", "");
        MetricCatalogue small = MetricCatalogue.parse("test", silent);

        assertThat(small.drift()).isEqualTo(new DriftWatches(List.of(), Map.of()));
        assertThat(small.baselines()).isEmpty();
        assertThat(small.anomalies()).isEmpty();
        assertThat(small.views()).noneMatch(View::drift);
        assertThat(small.view("mixed").orElseThrow().mix()).isEmpty();
    }

    @Test
    void theShippedOneWatchesFiveStatisticsInFiveViews() {
        assertThat(SHIPPED.drift().of())
                .extracting(Watch::toString)
                .containsExactly("ttft.p99", "tpot.p99", "e2e.p99", "queue.p99", "error_ratio.share");
        assertThat(SHIPPED.views().stream().filter(View::drift).map(View::name))
                .containsExactly("fleet", "replica-version", "tenant-model", "mix-model-version", "node-prompt");
        assertThat(SHIPPED.views().stream().filter(view -> view.mix().isPresent()))
                .extracting(view -> view.name() + " " + view.mix().orElseThrow())
                .containsExactly("mix-model-version mix", "node-prompt prompt");
        assertThat(SHIPPED.views().stream().filter(View::anomaly).map(View::name))
                .containsExactly("replica-version", "engine-replica", "gpu-device");
        assertThat(SHIPPED.anomalies())
                .allSatisfy(watch -> assertThat(SHIPPED.views().stream().filter(View::anomaly))
                        .as(watch + " is kept where anomalies are looked for")
                        .anyMatch(view -> SHIPPED.keeps(view, watch.metric())));
        assertThat(SHIPPED.baselines())
                .extracting(BaselineRule::name)
                .containsExactly(
                        "class", "template", "turn", "state", "guardrail", "configuration", "configuration-memory");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [ttft.p99, error | [tftt.p99, error | drift.of[0]: must be a metric whose windows can be compared (kinds quantile, sum, counter) or a ratio, and one of its statistics, as in ttft.p99, found 'tftt.p99', did you mean 'ttft.p99'?
            [ttft.p99, error | [ttft, error | drift.of[0]: must be ttft.mean or ttft.p50 or ttft.p90 or ttft.p95 or ttft.p99, found 'ttft'
            [ttft.p99, error | [ttft.p999, error | drift.of[0]: must be ttft.mean or ttft.p50 or ttft.p90 or ttft.p95 or ttft.p99, found 'ttft.p999', did you mean 'ttft.p99'?
            error_ratio.share, | error_ratio.p99, | drift.of[1]: must be error_ratio.share, found 'error_ratio.p99', did you mean 'error_ratio.share'?
            requests.rate | requests.share | drift.of[2]: must be requests.rate, found 'requests.share', did you mean 'requests.rate'?
            requests.rate | open.mean | drift.of[2]: must be a metric whose windows can be compared (kinds quantile, sum, counter) or a ratio, and one of its statistics, as in ttft.p99, found 'open.mean'
            requests.rate | prompts.p99 | drift.of: must be of metrics that say which way is better, found 'prompts.p99'
            of: [ttft.p99, error_ratio.share, requests.rate] | of: [] | drift.of: must be at least one statistic of a metric, as in ttft.p99, found none
            {ttft: 5% | {tftt: 5% | drift.thresholds.tftt: must be a metric that is watched or compared, found one that is not, did you mean 'ttft'?
            {ttft: 5% | {open: 5% | drift.thresholds.open: must be a metric that is watched or compared, found one that is not
            {ttft: 5% | {ttft: 5 | drift.thresholds.ttft: must be a text in quotes, found 5
            {ttft: 5% | {ttft: five | drift.thresholds.ttft: must be a percentage such as 3% or 0.5%, found 'five'
            {ttft: 5% | {ttft: -5% | drift.thresholds.ttft: must be a percentage such as 3% or 0.5%, found '-5%'
            {ttft: 5% | {ttft: 0.0% | drift.thresholds.ttft: must be above 0%, found '0.0%'
            drift: true, mix: prompt | drift: yes please, mix: prompt | views.mixed.drift: must be true or false, found 'yes please'
            mix: prompt | mix: model | views.mixed.mix: must be one of the view's dimensions that has edges or is a product, found 'model'
            mix: prompt | mix: both | views.mixed.mix: must be one of the view's dimensions that has edges or is a product, found 'both'
            peers: model | peers: prompt | views.product.peers: must be one of the view's dimensions, found 'prompt'
            '[ttft.p50, open.mean' | '[ttft.p50, open.p50' | anomalies.of[1]: must be open.mean, found 'open.p50'
            '[ttft.p50, open.mean' | '[ttft.p50, opened.mean' | anomalies.of[1]: must be a metric of any kind but histogram or a ratio, and one of its statistics, as in ttft.p99, found 'opened.mean', did you mean 'open.mean'?
            view: mixed | view: mixd | baselines.prompt.view: must be a view of the catalogue, found 'mixd', did you mean 'mixed'?
            {view: mixed, across | {across | baselines.prompt.view: must be set, found nothing
            across: prompt | across: promt | baselines.prompt.across: must be one of model, prompt, by which the view groups, found 'promt', did you mean 'prompt'?
            view: mixed | view: fleet | baselines.prompt.across: must be a dimension, and the view one that has any, found 'prompt'
            against: short, of | of | baselines.prompt.against: must be set, found nothing
            against: short | against: 1 | baselines.prompt.against: must be a text in quotes, found 1
            of: [ttft.mean] | of: [ttft.man] | baselines.prompt.of[0]: must be ttft.mean or ttft.p50 or ttft.p90 or ttft.p95 or ttft.p99, found 'ttft.man', did you mean 'ttft.mean'?
            of: [ttft.mean] | of: [prompts.mean] | baselines.prompt.of: must be of metrics that view mixed keeps, found 'prompts.mean'
            of: [ttft.mean] | of: [error_ratio.share] | baselines.prompt.of: must be of metrics that view mixed keeps, found 'error_ratio.share'
            'short, of: [ttft.mean]' | short | baselines.prompt.of: must be at least one statistic of a metric, as in ttft.p99, found none
            pinned: true | pinned: maybe | baselines.length.pinned: must be true or false, found 'maybe'
            alert: true | alarm: true | baselines.length.alarm: unknown key, did you mean 'alert'?
            '  prompt: {view' | '  Prompt: {view' | baselines.Prompt.name: must be lower-case letters, digits, _ and -, found 'Prompt'
            '  model:   {field' | '  against: {field' | dimensions.against.name: must be none of time, view, metric, statistic, comparison, against, which points use themselves, found 'against'
            """)
    void eachRuleIsReportedByKey(String right, String wrong, String problem) {
        assertThat(SMALL).contains(right);
        assertThatThrownBy(() -> MetricCatalogue.parse("test", SMALL.replace(right, wrong)))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .contains(problem));
    }

    @Test
    void allProblemsAreReportedTogether() {
        String wrong = SMALL.replace("of: [ttft.p99", "of: [tftt.p99")
                .replace("error_ratio: 0.5%", "error_ratio: much")
                .replace("view: product", "view: produkt");
        assertThatThrownBy(() -> MetricCatalogue.parse("test", wrong))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "baselines.length.view: must be a view of the catalogue, found 'produkt', did you mean 'product'?",
                                "drift.of[0]: must be a metric whose windows can be compared (kinds quantile, sum, counter) or"
                                        + " a ratio, and one of its statistics, as in ttft.p99, found 'tftt.p99', did you"
                                        + " mean 'ttft.p99'?",
                                "drift.thresholds.error_ratio: must be a percentage such as 3% or 0.5%, found 'much'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3%", "0.5%", "12.25%", "250%"})
    void aThresholdIsAPercentage(String text) {
        assertThat(DriftWatches.parseThreshold(text))
                .isCloseTo(Double.parseDouble(text.replace("%", "")) / 100, within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "%", "3 %", ".5%", "1e1%", "NaN%", "0%", "12345%"})
    void anythingElseIsNoThreshold(String text) {
        assertThatThrownBy(() -> DriftWatches.parseThreshold(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRuleThatWasSetWhileJobsRunIsCheckedLikeTheCatalogues() {
        MetricCatalogue small = MetricCatalogue.parse("test", SMALL);

        assertThat(BaselineRule.parse("canary", "{view: mixed, across: model, against: m, of: [ttft.p99]}", small))
                .isEqualTo(new BaselineRule(
                        "canary",
                        "mixed",
                        "model",
                        "m",
                        List.of(new Watch("ttft", Watch.Statistic.P99)),
                        false,
                        false));
        assertThatThrownBy(() -> BaselineRule.parse("canary", "{view: mixed, across: modl, of: []}", small))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("""
                        baseline/canary:
                          of: must be at least one statistic of a metric, as in ttft.p99, found none
                          across: must be one of model, prompt, by which the view groups, found 'modl', did you mean 'model'?
                          against: must be set, found nothing""");
    }
}
