package io.inferwatch.schemas.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.catalogue.ConfigFile.Entry;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
    private static final MetricCatalogue SHIPPED = MetricCatalogue.shipped();

    @TempDir
    private Path directory = Path.of("");

    @Test
    void everyEntryIsWhatRunningJobsRead() throws IOException {
        List<Entry> entries = read("""
                thresholds: {ttft: 5%, error_ratio: 0.5%}
                baselines:
                  turn:   {view: turn-model-version, across: turn, against: "1", of: [ttft.p99]}
                  canary:
                    view: model-version
                    across: version
                    against: "1.10"
                    of: [ttft.p99, e2e.mean]
                    pinned: true
                    alert: true
                """);

        assertThat(entries)
                .extracting(Entry::key)
                .containsExactly("threshold/ttft", "threshold/error_ratio", "baseline/turn", "baseline/canary");
        assertThat(entries.get(0).body()).isEqualTo("5%");
        assertThat(entries.get(1).body()).isEqualTo("0.5%");
        // Texts that look like numbers stay texts.
        assertThat(BaselineRule.parse("turn", entries.get(2).body(), SHIPPED).against())
                .isEqualTo("1");
        assertThat(BaselineRule.parse("canary", entries.get(3).body(), SHIPPED))
                .isEqualTo(new BaselineRule(
                        "canary",
                        "model-version",
                        "version",
                        "1.10",
                        List.of(new Watch("ttft", Watch.Statistic.P99), new Watch("e2e", Watch.Statistic.MEAN)),
                        true,
                        true));
    }

    @Test
    void limitsOfMemoryPaddingsAndLayersAreWhatRunningJobsRead() throws IOException {
        List<Entry> entries = read("""
                limits: {memory-horizon: 2h, kv-use: 95%}
                paddings:
                  org/model-8b: {boundaries: [128, 512, 8192], count: 16}
                  other: {boundaries: [64, 4096, 8192]}
                layers:
                  hybrid: {full: 6, sliding: 30, window-tokens: 1024}
                """);

        assertThat(entries)
                .extracting(Entry::key)
                .containsExactly(
                        "limit/memory-horizon",
                        "limit/kv-use",
                        "padding/org/model-8b",
                        "padding/other",
                        "layer/hybrid");
        assertThat(MemoryLimits.DEFAULT
                        .with("memory-horizon", entries.get(0).body())
                        .with("kv-use", entries.get(1).body()))
                .isEqualTo(new MemoryLimits(Duration.ofHours(2), 0.85, 0.95, 0.15, 0.5));
        assertThat(PaddingRule.parse("org/model-8b", entries.get(2).body()))
                .isEqualTo(new PaddingRule("org/model-8b", List.of(128L, 512L, 8192L), 16));
        assertThat(PaddingRule.parse("other", entries.get(3).body()).count())
                .as("as many as there are")
                .isEqualTo(3);
        assertThat(LayerRule.parse("hybrid", entries.get(4).body())).isEqualTo(new LayerRule("hybrid", 6, 30, 1024));
    }

    @Test
    void whatIsWrongWithLimitsPaddingsAndLayersIsReportedByKey() {
        assertThatThrownBy(() -> read("""
                limits: {memory-horizon: 10s, kv-use: 120%, split-shares: 3%, memory-use: much}
                paddings:
                  one: {boundaries: [512, 128]}
                  two: {count: 1, boundaries: [x]}
                layers:
                  hybrid: {full: 0, sliding: 30}
                """))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "limits.memory-horizon: must be a duration between 1m and 24h such as 30m, found '10s'",
                                "limits.kv-use: must be a percentage above 0% and up to 100% such as 85%, found '120%'",
                                "limits.split-shares: must be one of memory-horizon, memory-use, kv-use, split-share,"
                                        + " unusable-share, found another name, did you mean 'split-share'?",
                                "limits.memory-use: must be a percentage above 0% and up to 100% such as 85%, found 'much'",
                                "paddings.one.boundaries: must be at least one whole number, rising, found [512, 128]",
                                "paddings.two.boundaries[0]: must be a whole number from 1 on, found 'x'",
                                "paddings.two.boundaries: must be at least one whole number, rising, found []",
                                "paddings.two.count: must be a whole number between 2 and 128, found 1",
                                "layers.hybrid.full: must be a whole number between 1 and 10000, found 0",
                                "layers.hybrid.window-tokens: must be set, found nothing"));
    }

    @Test
    void anExperimentIsWhatRunningJobsRead() throws IOException {
        List<Entry> entries = read("""
                experiments:
                  org/model-8b:
                    since: 2026-01-31T12:00:00Z
                    baseline: [a, b, c, d, e]
                    changed: [f, g, h, i, j]
                """);
        assertThat(entries).extracting(Entry::key).containsExactly("experiment/org/model-8b");
        assertThat(ExperimentRule.parse("org/model-8b", entries.get(0).body()))
                .isEqualTo(new ExperimentRule(
                        "org/model-8b",
                        Instant.parse("2026-01-31T12:00:00Z"),
                        List.of("a", "b", "c", "d", "e"),
                        List.of("f", "g", "h", "i", "j")));
    }

    @Test
    void anExperimentWithTooFewReplicasOrOneOnBothSidesIsRefused() {
        assertThatThrownBy(() -> read("""
                experiments:
                  m: {since: yesterday, baseline: [a, b, c, d, e], changed: [a, f, g, f]}
                """))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "experiments.m.since: must be a time such as 2026-01-31T12:00:00Z, found 'yesterday'",
                                "experiments.m.changed: must be replicas that are named once in all, found again a, f",
                                "experiments.m.changed: must be at least 5 replicas, found 4"));
    }

    @Test
    void settingsOfAnomaliesAreWhatRunningJobsRead() throws IOException {
        List<Entry> entries = read("""
                anomalies:
                  all: {mode: promoted}
                  tpot.p50: {mode: shadow, sensitivity: high, forest: true}
                """);

        assertThat(entries).extracting(Entry::key).containsExactly("anomaly/all", "anomaly/tpot.p50");
        assertThat(AnomalySetting.parse("all", entries.get(0).body(), SHIPPED))
                .isEqualTo(new AnomalySetting(
                        "all", AnomalySetting.Mode.PROMOTED, AnomalySetting.Sensitivity.STANDARD, false));
        assertThat(AnomalySetting.parse("tpot.p50", entries.get(1).body(), SHIPPED))
                .isEqualTo(new AnomalySetting(
                        "tpot.p50", AnomalySetting.Mode.SHADOW, AnomalySetting.Sensitivity.HIGH, true));
        assertThatThrownBy(() -> read("anomalies: {tpot.p5: {mode: live, sensitivity: 3, forests: true}}"))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "anomalies.tpot.p5.name: must be all or what is watched: ttft.p50, tpot.p50, e2e.p50,"
                                        + " error_ratio.share, cache_reuse.mean, kv_use.mean, sm_clock.mean, found"
                                        + " 'tpot.p5', did you mean 'tpot.p50'?",
                                "anomalies.tpot.p5.mode: must be one of shadow, promoted, unwatched, found 'live'",
                                "anomalies.tpot.p5.sensitivity: must be one of low, standard, high, found 3",
                                "anomalies.tpot.p5.forests: unknown key, did you mean 'forest'?"));
    }

    @Test
    void theShippedPricesAreThePublishedOnesAndFoundByPartsOfProducts() {
        List<PriceRule> prices = ConfigFile.read(Path.of("../deploy/prices.yaml"), SHIPPED).stream()
                .map(entry -> PriceRule.parse(entry.name(), entry.body()))
                .toList();

        assertThat(prices)
                .containsExactly(
                        new PriceRule("TPUv4", 2.80, 1.35),
                        new PriceRule("A100", 3.20, 1.00),
                        new PriceRule("H100", 4.60, 1.62));
        assertThat(PriceRule.of("NVIDIA A100-SXM4-80GB", prices)).contains(prices.get(1));
        assertThat(PriceRule.of("tpuv4", prices)).contains(prices.get(0));
        assertThat(PriceRule.of("NVIDIA L4", prices)).isEmpty();
        PriceRule larger = new PriceRule("A100-SXM4-80GB", 4, 1.1);
        assertThat(PriceRule.of("NVIDIA A100-SXM4-80GB", List.of(larger, prices.get(1))))
                .contains(larger);
    }

    @Test
    void whatIsWrongWithPricesIsReportedByKey() {
        assertThatThrownBy(() -> read("""
                prices:
                  A100: {dollars-per-hour: 0, relative-throughput: fast}
                  H100: {dollars-per-hours: 4.6, relative-throughput: -1}
                """))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactlyInAnyOrder(
                                "prices.A100.dollars-per-hour: must be above 0, found 0",
                                "prices.A100.relative-throughput: must be a number from 0, found 'fast'",
                                "prices.H100.dollars-per-hour: must be set, found nothing",
                                "prices.H100.relative-throughput: must be a number from 0, found -1",
                                "prices.H100.dollars-per-hours: unknown key, did you mean 'dollars-per-hour'?"));
    }

    @Test
    void allProblemsAreReportedTogether() {
        assertThatThrownBy(() -> read("""
                thresholds: {tftt: 5%, e2e: much, open_requests: 3%}
                baselines:
                  Canary: {view: model-versions, across: version, against: v1, of: [ttft.p99], pined: true}
                baseline: {}
                """))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "thresholds.tftt: must be a metric whose windows can be compared (kinds quantile, sum,"
                                        + " counter) or a ratio, found another name, did you mean 'ttft'?",
                                "thresholds.e2e: must be a percentage such as 3% or 0.5%, found 'much'",
                                "thresholds.open_requests: must be a metric whose windows can be compared (kinds quantile,"
                                        + " sum, counter) or a ratio, found another name",
                                "baselines.Canary.name: must be lower-case letters, digits, _ and -, found 'Canary'",
                                "baselines.Canary.view: must be a view of the catalogue, found 'model-versions', did you"
                                        + " mean 'model-version'?",
                                "baseline: unknown key, did you mean 'baselines'?",
                                "baselines.Canary.pined: unknown key, did you mean 'pinned'?"));
    }

    @Test
    void anEmptyFileIsRefused() {
        assertThatThrownBy(() -> read("thresholds: {}\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageEndingWith(
                        "thresholds, baselines, limits, paddings, layers, experiments, anomalies, prices: must be at least one entry, found none");
    }

    private List<Entry> read(String yaml) throws IOException {
        return ConfigFile.read(Files.writeString(directory.resolve("config.yaml"), yaml), SHIPPED);
    }
}
