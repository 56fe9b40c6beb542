package io.inferwatch.jobs.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Expected numbers are worked out by hand from the catalogue's views, and written down here. */
class FleetPlanTest {
    private static final String FLEET = """
        requests-per-second: 10000
        values: {region: 3, pool: 5, node: 250, replica: 1000, model: 10, version: 2, tenant: 100, template: 20, class: 4, gpu: 2000}
        """;

    private final MetricCatalogue catalogue = MetricCatalogue.shipped();

    @Test
    void seriesAreTheProductsOfValuesWithinLimits() {
        Map<String, Long> series = series(FLEET);
        Map<String, Long> expected = new TreeMap<>();
        expected.put("fleet", 1L);
        expected.put("region-model", 30L);
        expected.put("model-version", 20L);
        expected.put("pool-model", 50L);
        expected.put("node", 250L);
        expected.put("replica-version", 2000L);
        expected.put("tenant-model", 1000L);
        expected.put("tenant-replica", 1_500L); // max-series, before 100 x 1,000
        expected.put("turn-model-version", 100L); // 5 buckets of turns
        expected.put("template-model", 200L);
        expected.put("class-model-version", 80L);
        expected.put("mix-model-version", 360L); // 6 buckets of prompts x 3 of the cache x 20
        expected.put("node-prompt", 1500L);
        expected.put("structure", 210L); // 21 buckets of length x 10
        expected.put("kv", 1000L); // 10 x 10 x 10
        expected.put("state-turn", 90L); // 9 turns
        expected.put("guardrail", 20L);
        expected.put("configuration", 10L);
        expected.put("engine-fleet", 1L);
        expected.put("engine-model", 20L);
        expected.put("engine-pool", 5L);
        expected.put("engine-replica", 2000L); // a replica has one model, in two versions
        expected.put("engine-device", 2000L); // a GPU has one replica
        expected.put("gpu-fleet", 1L);
        expected.put("gpu-node", 250L);
        expected.put("gpu-model", 20L);
        expected.put("gpu-pool", 50L);
        expected.put("gpu-configuration", 10L);
        expected.put("gpu-device", 2000L); // a GPU has one node
        expected.put("gpu-replica", 1000L);
        expected.put("gpu-product", 1000L); // a replica has one model, and devices of one product
        expected.put("kernel-stage", 10L);
        expected.put("kernel-name", 20L); // two versions of each of ten models
        expected.put("kernel-layer", 1000L);
        expected.put("operator-model", 20L);
        expected.put("operator-replica", 1000L);
        expected.put("operator-layer", 1000L);
        assertThat(series).isEqualTo(expected);
    }

    @Test
    void limitsOfTheCatalogueHold() {
        Map<String, Long> series = series("""
            requests-per-second: 1
            values: {replica: 9000, node: 5000, tenant: 1000, model: 50, version: 9, run: 7}
            """);
        assertThat(series)
                .containsEntry("node", 1001L) // 1,000 and other
                .containsEntry("replica-version", 12_000L) // max-series, before 4,001 x 4
                .containsEntry("tenant-model", 10_000L)
                .containsEntry("model-version", 200L) // 3 and other of each of 50
                .containsEntry("run", 7L);
    }

    @Test
    void totalsAreWhatTheirFormulasSay() {
        FleetPlan plan = FleetPlan.of(Fleet.parse("fleet", FLEET, catalogue), catalogue);
        long series = 7_091 + 3_330 + 9_407;
        // Stored by ten seconds: fleet, model-version, replica-version; engine-fleet, -model, -replica; gpu-fleet,
        // -device, -replica;
        // operator-model, -replica.
        double brief = (1 + 20 + 2000 + 1 + 20 + 2000 + 1 + 2000 + 1000 + 20 + 1000) / 10.0;
        double wide = series / 60.0 + series / 3600.0;
        assertThat(plan.total(Quantity.SERIES)).isEqualTo((double) series);
        assertThat(plan.total(Quantity.POINTS_PER_SECOND)).isCloseTo(brief + wide, within(1e-6));
        // fleet, model-version, replica-version, tenant-model and engine-model keep sketches in their minutes.
        double sketches = (1 + 20 + 2000 + 1000 + 20) / 60.0;
        assertThat(plan.total(Quantity.STATE_MEGABYTES)).isCloseTo(series * 0.22, within(1e-6));
        assertThat(plan.total(Quantity.INFLUXDB_MEGABYTES_PER_DAY))
                .isCloseTo(0.0864 * (brief * 175 + wide * 880 + sketches * 2600), within(1e-3));
        assertThat(plan.total(Quantity.KAFKA_MEGABYTES_PER_DAY))
                .isCloseTo(0.0864 * (10_000 * 332 + series / 10.0 * 2000 + wide * 3800), within(1e-3));
    }

    @Test
    void whatIsWrongInTheFileIsSaidTogether() {
        assertThatThrownBy(() -> Fleet.parse(
                        "fleet.yaml", "{values: {replicas: 10, model: 0}, budget: {series: -1}}", catalogue))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("requests-per-second: must be set, found nothing")
                .hasMessageContaining("values.model: must be a whole number between 1")
                .hasMessageContaining("values.replicas: unknown key, did you mean 'replica'?")
                .hasMessageContaining("budget.series: must be a whole number between 0");
    }

    @Test
    void aBudgetThatIsExceededEndsWithStatus1(@TempDir Path directory) throws Exception {
        Path within = Files.writeString(directory.resolve("within.yaml"), FLEET + "budget: {series: 19828}\n");
        Path beyond = Files.writeString(
                directory.resolve("beyond.yaml"), FLEET + "budget: {series: 19827, points-per-second: 1}\n");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new SetupPlanCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        assertThat(command.execute(within.toString())).isZero();
        assertThat(out.toString()).contains("all                         19,828");
        assertThat(err.toString()).isEmpty();
        assertThat(command.execute(beyond.toString())).isEqualTo(1);
        assertThat(err.toString())
                .contains("budget.series: must be at least 19,828, found 19,827")
                .contains("budget.points-per-second: must be at least 1,143, found 1");
    }

    private Map<String, Long> series(String fleet) {
        Map<String, Long> series = new TreeMap<>();
        FleetPlan.of(Fleet.parse("fleet", fleet, catalogue), catalogue)
                .views()
                .forEach(view -> series.put(view.name(), view.series()));
        return series;
    }
}
