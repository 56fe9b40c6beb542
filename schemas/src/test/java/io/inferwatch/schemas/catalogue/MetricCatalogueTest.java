package io.inferwatch.schemas.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricCatalogueTest {
    private static final MetricCatalogue SHIPPED = MetricCatalogue.shipped();

    /** The least catalogue that is right; tests break one line of it each. */
    private static final String SMALL = """
            metrics:
              requests: {of: requests, kind: sum, value: "1", unit: requests, help: Requests}
              failed:   {of: requests, kind: sum, value: "1", unit: requests, outcomes: [TIMEOUT], help: Failed}
              ttft:     {of: requests, kind: quantile, value: ttftMicros, unit: microseconds, help: First token}
              open:     {of: heartbeats, kind: gauge, value: openRequests, unit: requests, help: Open}
            ratios:
              error_ratio: {numerator: failed, denominator: requests, help: Errors}
            stored-sketches: [ttft]
            dimensions:
              model:   {field: model, limit: 50}
              version: {field: version, limit: 3, per: model}
              prompt:  {field: promptTokens, edges: [512, 2048], labels: [short, middle, long]}
              cache:   {field: cachedTokens, share-of: promptTokens, edges: [50], labels: [cold, hot]}
              mix:     {product: [prompt, cache]}
            views:
              fleet: {by: [], max-series: 1}
              mix:   {by: [mix, model, version], max-series: 900, metrics: [ttft]}
            """;

    @Test
    void theShippedViewsAreTheDesigns() {
        assertThat(SHIPPED.views().stream()
                        .filter(view -> view.of() == Metric.Origin.REQUESTS)
                        .map(View::dimensionNames))
                .containsExactly(
                        List.of(),
                        List.of("region", "model"),
                        List.of("model", "version"),
                        List.of("pool", "model"),
                        List.of("node"),
                        List.of("replica", "version"),
                        List.of("tenant", "model"),
                        List.of("tenant", "replica"),
                        List.of("turn", "model", "version"),
                        List.of("template", "model"),
                        List.of("class", "model", "version"),
                        List.of("mix", "model", "version"),
                        List.of("node", "prompt"),
                        List.of("structure", "length", "model"),
                        List.of("kv", "model"),
                        List.of("state", "each-turn", "model"),
                        List.of("guardrail", "model", "version"),
                        List.of("configuration", "model"),
                        List.of("run"));
        View run = SHIPPED.view("run").orElseThrow();
        assertThat(run.synthetic()).isTrue();
        assertThat(run.pane()).isEqualTo(Duration.ofSeconds(1));
        assertThat(SHIPPED.views().stream().filter(View::synthetic)).containsExactly(run);
        assertThat(SHIPPED.views().stream().filter(view -> !view.equals(run)).map(View::pane))
                .containsOnly(Duration.ofSeconds(10));
        assertThat(SHIPPED.view("node-prompt").orElseThrow().metrics())
                .containsExactlyInAnyOrder("requests", "ttft", "e2e");
    }

    @Test
    void theShippedLimitsAreTheDesigns() {
        Map<String, Integer> limits = SHIPPED.dimensions().stream()
                .filter(GroupingDimension.Values.class::isInstance)
                .map(GroupingDimension.Values.class::cast)
                .collect(Collectors.toMap(GroupingDimension::name, GroupingDimension.Values::limit));
        assertThat(limits)
                .containsEntry("replica", 4000)
                .containsEntry("node", 1000)
                .containsEntry("pool", 100)
                .containsEntry("model", 50)
                .containsEntry("version", 3)
                .containsEntry("tenant", 200)
                .containsEntry("template", 50)
                .containsEntry("class", 8);
        Map<String, Integer> buckets = SHIPPED.dimensions().stream()
                .filter(GroupingDimension.Buckets.class::isInstance)
                .map(GroupingDimension.Buckets.class::cast)
                .collect(Collectors.toMap(
                        GroupingDimension::name, dimension -> dimension.labels().size()));
        assertThat(buckets)
                .isEqualTo(Map.of(
                        "prompt", 6, "cache", 3, "turn", 5, "each-turn", 9, "length", 21, "fill", 10, "reuse", 10));
        for (boolean ofRequests : new boolean[] {true, false}) {
            assertThat(SHIPPED.views().stream()
                            .filter(view -> (view.of() == Metric.Origin.REQUESTS) == ofRequests)
                            .mapToLong(View::maxSeries)
                            .sum())
                    .isPositive()
                    .isLessThanOrEqualTo(MetricCatalogue.MAX_SERIES);
        }
    }

    @Test
    void theShippedSketchesAndShortWindowsAreStoredWhereTheDesignSays() {
        assertThat(SHIPPED.metrics().stream().filter(SHIPPED::storesSketchOf).map(Metric::name))
                .containsExactly("ttft", "tpot", "itl", "e2e", "queue", "sequence_tokens", "batch_size");
        assertThat(SHIPPED.views().stream()
                        .filter(view -> view.storeSketches() && !view.synthetic())
                        .map(View::name))
                .containsExactly("fleet", "model-version", "replica-version", "tenant-model", "engine-model");
        assertThat(SHIPPED.views().stream()
                        .filter(view -> view.of() == Metric.Origin.REQUESTS)
                        .filter(view -> view.storeShortest() && !view.synthetic())
                        .map(View::name))
                .containsExactly("fleet", "model-version", "replica-version");
    }

    @Test
    void theShippedMetricsReadFieldsThatEventsHave() {
        for (Metric metric : SHIPPED.metrics()) {
            Schema schema =
                    switch (metric.of()) {
                        case REQUESTS -> RequestEvent.getClassSchema();
                        case HEARTBEATS -> Heartbeat.getClassSchema();
                        case ENGINE -> EngineSample.getClassSchema();
                        case GPU -> GpuSample.getClassSchema();
                        case KERNELS -> KernelProfile.getClassSchema();
                        case OPERATORS -> OperatorMetric.getClassSchema();
                    };
            boolean isNamedByReporter =
                    metric.of() == Metric.Origin.OPERATORS || metric.kind() == Metric.Kind.HISTOGRAM;
            if (!isNamedByReporter && !Set.of("1", "good").contains(metric.value())) {
                for (String field : DerivedValue.of(metric.value())
                        .map(DerivedValue::fields)
                        .orElse(List.of(metric.value().split(" [-+/] ", -1)))) {
                    assertThat(schema.getField(field))
                            .as(metric.name() + ": " + field)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void theShippedOutcomesAddUp() {
        // completed + failed + cancelled = all, and the kinds of failure together are the failures.
        Set<Outcome> completed = SHIPPED.metric("completed").orElseThrow().outcomes();
        Set<Outcome> failed = SHIPPED.metric("failed").orElseThrow().outcomes();
        Set<Outcome> cancelled = SHIPPED.metric("cancelled").orElseThrow().outcomes();
        EnumSet<Outcome> all = EnumSet.noneOf(Outcome.class);
        assertThat(all.addAll(completed) && all.addAll(failed) && all.addAll(cancelled))
                .isTrue();
        assertThat(all).isEqualTo(EnumSet.allOf(Outcome.class));
        assertThat(completed.size() + failed.size() + cancelled.size()).isEqualTo(all.size());
        assertThat(List.of(
                                "server_cancelled",
                                "http_errors",
                                "inband_errors",
                                "no_token",
                                "truncated",
                                "timed_out",
                                "rejected",
                                "unknown_outcome")
                        .stream()
                        .flatMap(name -> SHIPPED.metric(name).orElseThrow().outcomes().stream()))
                .containsExactlyInAnyOrderElementsOf(failed);
    }

    @ParameterizedTest
    @CsvSource({"0, 0-511", "511, 0-511", "512, 512-2047", "2047, 512-2047", "131071, 32768-131071", "131072, 131072+"})
    void aValueFallsIntoTheBucketWhoseLowerBoundItReached(long tokens, String label) {
        GroupingDimension prompt = SHIPPED.dimensions().stream()
                .filter(dimension -> dimension.name().equals("prompt"))
                .findFirst()
                .orElseThrow();
        assertThat(((GroupingDimension.Buckets) prompt).label(tokens)).isEqualTo(label);
    }

    @Test
    void fieldsOfPointsCarryTheUnitOnce() {
        assertThat(SHIPPED.metric("ttft").orElseThrow().field("p99")).isEqualTo("ttft_p99_seconds");
        assertThat(SHIPPED.metric("prompt_tokens").orElseThrow().field("p99")).isEqualTo("prompt_tokens_p99");
        assertThat(SHIPPED.metric("requests").orElseThrow().field("per_second")).isEqualTo("requests_per_second");
        assertThat(SHIPPED.metric("gpu_memory_used").orElseThrow().field("last"))
                .isEqualTo("gpu_memory_used_last_bytes");
        assertThat(SHIPPED.metric("pcie_sent_bytes").orElseThrow().field("per_second"))
                .isEqualTo("pcie_sent_bytes_per_second");
        assertThat(SHIPPED.metric("kv_usage").orElseThrow().field("max")).isEqualTo("kv_usage_max");
        assertThat(SHIPPED.metric("ttft").orElseThrow().unitlessField("n")).isEqualTo("ttft_n");
        assertThat(Metric.Unit.MICROSECONDS.base()).isEqualTo("seconds");
        assertThat(Metric.Unit.MICROSECONDS.scale()).isEqualTo(1e-6);
        assertThat(Metric.Unit.NANOSECONDS.scale()).isEqualTo(1e-9);
    }

    @Test
    void readsItsOwnFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("own.yaml"), SMALL);
        MetricCatalogue own = MetricCatalogue.read(file);
        assertThat(own.metrics()).extracting(Metric::name).containsExactly("requests", "failed", "ttft", "open");
        assertThat(own.metrics(Metric.Origin.REQUESTS, Metric.Kind.SUM))
                .extracting(Metric::name)
                .containsExactly("requests", "failed");
        assertThat(own.ratios())
                .containsExactly(new Ratio("error_ratio", "failed", "requests", Metric.Better.NEITHER, "Errors"));
        assertThat(own.dimensions())
                .extracting(GroupingDimension::name)
                .containsExactly("model", "version", "prompt", "cache", "mix");
        assertThat(own.view("mix").orElseThrow().keeps(own.metric("ttft").orElseThrow()))
                .isTrue();
        assertThat(own.view("mix").orElseThrow().keeps(own.metric("requests").orElseThrow()))
                .isFalse();
        assertThat(own.view("fleet").orElseThrow().keeps(own.metric("requests").orElseThrow()))
                .isTrue();
        assertThat(own.view("none")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    kind: sum, value: "1", unit: requests, help: Requests | value: "1", unit: requests, help: Requests | metrics.requests.kind: must be set, found nothing
                    kind: sum, value: "1", unit: requests, help: Requests | kind: mean, value: "1", unit: requests, help: Requests | metrics.requests.kind: must be one of sum, quantile, gauge, counter, histogram, found 'mean'
                    unit: requests, help: Requests | help: Requests | metrics.requests.unit: must be set, found nothing
                    unit: requests, help: Requests | unit: requests | metrics.requests.help: must be set, found nothing
                    value: ttftMicros | value: tftMicros | metrics.ttft.value: must be a whole-number field of RequestEvent, found 'tftMicros', did you mean 'ttftMicros'?
                    value: ttftMicros | value: model | metrics.ttft.value: must be a whole-number field of RequestEvent, found 'model'
                    value: ttftMicros | value: e2eMicros - ttftMicro | metrics.ttft.value: must be a whole-number field of RequestEvent, found 'ttftMicro', did you mean 'ttftMicros'?
                    value: ttftMicros | value: a - b - c | metrics.ttft.value: must be 1, good, a field or a difference of two fields, found 'a - b - c'
                    value: ttftMicros, unit: microseconds | value: promptTokens / maxContextTokens, unit: microseconds | metrics.ttft.value: must be no share unless kind is quantile, of requests, engine or gpu, in ppm, found 'promptTokens / maxContextTokens'
                    value: ttftMicros, unit: microseconds | value: promptTokens / model, unit: ppm | metrics.ttft.value: must be a whole-number field of RequestEvent, found 'model'
                    value: ttftMicros, unit: microseconds | value: promptTokens + e2eMicros, unit: tokens | metrics.ttft.unit: must be microseconds as e2eMicros says, found tokens
                    value: openRequests | value: openRequests + openRequests | metrics.open.value: must be no sum unless kind is quantile, of requests, found 'openRequests + openRequests'
                    of: heartbeats, kind: gauge, value: openRequests, unit: requests | of: engine, kind: gauge, value: split-share, unit: ppm | metrics.open.value: must be a field unless kind is gauge, of gpu, in ppm, found 'split-share'
                    of: heartbeats, kind: gauge, value: openRequests, unit: requests | of: gpu, kind: quantile, value: split-share, unit: ppm | metrics.open.value: must be a field unless kind is gauge, of gpu, in ppm, found 'split-share'
                    {field: model, limit: 50} | {field: gpuUuids, limit: 50} | views.mix.by: must be a text field of RequestEvent, found 'gpuUuids'
                    help: First token | when: tokenizeMicro, help: First token | metrics.ttft.when: must be a whole-number field of RequestEvent, found 'tokenizeMicro', did you mean 'tokenizeMicros'?
                    outcomes: [TIMEOUT] | when: model | metrics.failed.when: must be left out unless kind is quantile, of requests, or sum, of kernels, found 'model'
                    share-of: promptTokens | when: xyzxyz, share-of: promptTokens | views.mix.by: must be a whole-number field of RequestEvent, found 'xyzxyz'
                    value: ttftMicros | value: good | metrics.ttft.value: must be a field unless kind is sum and unit is requests, found 'good'
                    value: ttftMicros, unit: microseconds | value: ttftMicros, unit: nanoseconds | metrics.ttft.unit: must be microseconds as ttftMicros says, found nanoseconds
                    value: openRequests | value: ttftMicros | metrics.open.value: must be a whole-number field of Heartbeat, found 'ttftMicros'
                    kind: gauge | kind: sum | metrics.open.kind: must be gauge for heartbeats, found sum
                    kind: quantile | kind: gauge | metrics.ttft.kind: must be sum or quantile for requests, found gauge
                    kind: quantile | kind: histogram | metrics.ttft.kind: must be sum or quantile for requests, found histogram
                    of: heartbeats, kind: gauge | of: gpu, kind: sum | metrics.open.kind: must be quantile or gauge or counter for gpu, found sum
                    value: openRequests, unit: requests | granularity: layer, value: openRequests, unit: requests | metrics.open.granularity: must be there for operators, and for them alone, found layer
                    of: heartbeats, kind: gauge, value: openRequests, unit: requests | of: operators, kind: gauge, value: a name, unit: ppm | metrics.open.granularity: must be there for operators, and for them alone, found nothing
                    of: heartbeats, kind: gauge, value: openRequests, unit: requests | of: operators, kind: gauge, value: a name, unit: ppm | metrics.open.value: must be a name of letters, digits and _ . : -, found 'a name'
                    of: heartbeats, kind: gauge, value: openRequests, unit: requests | of: gpu, kind: gauge, value: usedBytes, unit: ppm | metrics.open.unit: must be bytes as usedBytes says, found ppm
                    fleet: {by: [] | fleet: {of: heartbeats, by: [] | views.fleet.of: must be requests, whose views keep them, found heartbeats
                    fleet: {by: [] | fleet: {of: gpu, by: [prompt] | views.fleet.by: must be a whole-number field of GpuSample, found 'promptTokens'
                    fleet: {by: [], max-series: 1 | fleet: {of: gpu, by: [], max-series: 50001 | views.fleet.max-series: must be a whole number between 1 and 50000, found 50001
                    help: First token | rate: true, help: First token | metrics.ttft.rate: must be left out unless kind is sum, found true
                    outcomes: [TIMEOUT] | outcomes: [TIMEOUTS] | metrics.failed.outcomes[0]: must be an outcome, found 'TIMEOUTS', did you mean 'TIMEOUT'?
                    help: Open | outcomes: [OK], help: Open | metrics.open.outcomes: must be left out for heartbeats, found [OK]
                    numerator: failed | numerator: fialed | ratios.error_ratio.numerator: must be a sum metric of this catalogue, found 'fialed', did you mean 'failed'?
                    denominator: requests | denominator: ttft | ratios.error_ratio.denominator: must be a sum metric of this catalogue, found 'ttft'
                    error_ratio: | failed: | ratios.failed: must be a name that no metric has, found it twice
                    stored-sketches: [ttft] | stored-sketches: [requests] | stored-sketches[0]: must be a quantile metric of this catalogue, found 'requests'
                    {field: model, limit: 50} | {field: modle, limit: 50} | dimensions.model.field: must be a text field of RequestEvent, found 'modle', did you mean 'model'?
                    {field: model, limit: 50} | {field: turn, limit: 50} | dimensions.model.field: must be a text field of RequestEvent, found 'turn', did you mean 'run'?
                    {field: model, limit: 50} | {field: model} | dimensions.model.limit: must be set, found nothing
                    per: model | per: prompt | dimensions.version.per: must be another dimension with a limit, found 'prompt'
                    field: promptTokens, edges | field: template, edges | dimensions.prompt.field: must be a whole-number field of RequestEvent, found 'template'
                    share-of: promptTokens | share-of: prompt | dimensions.cache.share-of: must be a whole-number field of RequestEvent, found 'prompt'
                    edges: [512, 2048] | edges: [2048, 512] | dimensions.prompt.edges: must be rising, found [2048, 512]
                    edges: [512, 2048] | edges: [512] | dimensions.prompt.labels: must be one more than the 1 edges, found 3
                    edges: [512, 2048] | edges: [512, x] | dimensions.prompt.edges[1]: must be a whole number, found 'x'
                    labels: [short, middle, long] | labels: [short, short, long] | dimensions.prompt.labels: must be all different, found [short, short, long]
                    labels: [short, middle, long] | labels: [short, "a b", long] | dimensions.prompt.labels[1]: must be letters, digits, _ . + -, found 'a b'
                    product: [prompt, cache] | product: [prompt, model] | dimensions.mix.product: must be two dimensions with edges, found [prompt, model]
                    fleet: {by: [], | Fleet: {by: [], | views.Fleet.name: must be lower-case letters, digits, _ and -, found 'Fleet'
                    '  model:   {field: model' | '  view:   {field: model' | dimensions.view.name: must be none of time, view, metric, statistic, comparison, against, which points use themselves, found 'view'
                    fleet: {by: [] | fleet: {by: [modell] | views.fleet.by[0]: must be a dimension of this catalogue, found 'modell', did you mean 'model'?
                    fleet: {by: [] | fleet: {by: [model, model] | views.fleet.by: must be dimensions that are all different, found [model, model]
                    by: [mix, model, version] | by: [mix, model, version, prompt] | views.mix.by: must be at most 3 dimensions, found 4
                    metrics: [ttft]} | metrics: [tpot]} | views.mix.metrics[0]: must be a metric of its events, found 'tpot', did you mean 'ttft'?
                    metrics: [ttft]} | traffic: both} | views.mix.traffic: must be production or synthetic, found 'both'
                    metrics: [ttft]} | pane: 7s} | views.mix.pane: must be a divisor of one minute, found 7s
                    metrics: [ttft]} | pane: 20s} | views.mix.pane: must be a duration between 1s and 10s such as 10s, found '20s'
                    max-series: 1} | pane: 10s} | views.fleet.max-series: must be set, found nothing
                    max-series: 900 | max-series: 50000 | views: must be at most 50000 series by the sum of max-series, found 50001
                    stored-sketches: | stored-sketch: | stored-sketch: unknown key, did you mean 'stored-sketches'?
                    """)
    void eachRuleIsReportedByKey(String right, String wrong, String problem) {
        assertThat(SMALL).contains(right);
        assertThatThrownBy(() -> MetricCatalogue.parse("test", SMALL.replace(right, wrong)))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .contains(problem));
    }

    @Test
    void figuresNeedAViewThatHoldsWhatTheyAreComputedOf() {
        assertThat(SHIPPED.figures())
                .extracting(FigureRule::name)
                .containsExactly(
                        "stages",
                        "template-stages",
                        "prompt-shapes",
                        "kv-joint",
                        "memory",
                        "memory-parts",
                        "kv-cache",
                        "kv-lengths",
                        "padding");
        assertThatThrownBy(() -> MetricCatalogue.parse("test", SMALL + """
                        figures:
                          one:   {kind: stage, view: fleeet}
                          two:   {kind: stage, view: mix}
                          three: {kind: kv-joint, view: fleet}
                          four:  {kind: stages, view: fleet}
                          five:  {kind: memory, view: fleet}
                        """))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .hasSize(5)
                        .contains(
                                "figures.five.view: must be one of engine or gpu, found 'fleet'",
                                "figures.one.view: must be a view of the catalogue, found 'fleeet', did you mean 'fleet'?",
                                "figures.three.view: must be one of requests by kv, found 'fleet'",
                                "figures.four.kind: must be one of stage, prompt-shape, kv-joint, memory, kv-cache, padding, found 'stages'")
                        .anySatisfy(problem -> assertThat(problem)
                                .startsWith("figures.two.view: must be one that keeps gateway, authentication")));
    }

    @Test
    void samplesHaveASeriesLimitOfTheirOwn() {
        String both = SMALL + "  cards: {of: gpu, by: [], max-series: 50000}\n";
        assertThat(MetricCatalogue.parse("test", both).view("cards")).isPresent();
        assertThatThrownBy(
                        () -> MetricCatalogue.parse("test", both + "  engines: {of: engine, by: [], max-series: 1}\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(
                        "test:\n  views: must be at most 50000 series by the sum of max-series over samples, found 50001");
    }

    @Test
    void aCatalogueWithoutViewsIsRefused() {
        assertThatThrownBy(() -> MetricCatalogue.parse("test", ""))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("test:\n  views: must be at least one view, found none");
    }
}
