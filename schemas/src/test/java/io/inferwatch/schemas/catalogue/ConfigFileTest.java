package io.inferwatch.schemas.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.catalogue.ConfigFile.Entry;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
                .hasMessageEndingWith("thresholds, baselines: must be at least one entry, found none");
    }

    private List<Entry> read(String yaml) throws IOException {
        return ConfigFile.read(Files.writeString(directory.resolve("config.yaml"), yaml), SHIPPED);
    }
}
