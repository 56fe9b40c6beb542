package io.inferwatch.schemas.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.slo.SloSpec.Slicing;
import io.inferwatch.schemas.slo.TimeWindow.Calendar;
import io.inferwatch.schemas.slo.TimeWindow.Rolling;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SloFileTest {
    private static final MetricCatalogue SHIPPED = MetricCatalogue.shipped();
    private static final Path EXAMPLE = Path.of("../deploy/slo/chat.yaml");

    /** An SLO whose parts can be replaced. */
    private static final String SLO = """
            apiVersion: openslo/v1
            kind: SLO
            metadata: {name: one}
            spec:
              service: chat
              indicator: {metadata: {name: value}, spec: {thresholdMetric: {metricSource: {spec: {metric: ttft, unit: ms}}}}}
              timeWindow: [{duration: 30d, isRolling: true}]
              budgetingMethod: Occurrences
              objectives: [{op: lte, value: 2000, target: 0.99}]
            """;

    private static final String CONDITION = """
            ---
            apiVersion: openslo/v1
            kind: AlertPolicy
            metadata: {name: fast}
            spec: {conditions: [{conditionRef: burn}]}
            ---
            apiVersion: openslo/v1
            kind: AlertCondition
            metadata: {name: burn}
            spec: {severity: page, condition: {kind: burnrate, op: gte, threshold: 14.4, lookbackWindow: 1h}}
            """;

    @Test
    void theExampleSaysWhatItsCommentsSay() {
        SloFile file = SloFile.read(EXAMPLE, SHIPPED);
        assertThat(file.warnings()).isEmpty();
        assertThat(file.objectives())
                .extracting(SloSpec::name)
                .containsExactly("chat-ttft", "chat-success", "chat-under-load");
        SloSpec ttft = file.objectives().get(0);
        assertThat(ttft.indicator()).isEqualTo(new Indicator.Values("ttft", true, 2_000_000));
        assertThat(ttft.view()).isEqualTo("model-version");
        assertThat(ttft.window()).isEqualTo(new Rolling(Duration.ofDays(30)));
        assertThat(ttft.target()).isEqualTo(0.99);
        assertThat(ttft.burns().orElseThrow())
                .containsExactly(
                        new BurnSpec(
                                "burn-1h",
                                Severity.PAGE,
                                14.4,
                                Duration.ofHours(1),
                                Duration.ofMinutes(5),
                                Duration.ofMinutes(2),
                                true,
                                true,
                                true),
                        new BurnSpec(
                                "burn-1d",
                                Severity.TICKET,
                                3,
                                Duration.ofDays(1),
                                Duration.ofHours(2),
                                Duration.ZERO,
                                true,
                                true,
                                false));
        SloSpec success = file.objectives().get(1);
        assertThat(success.indicator()).isEqualTo(new Indicator.Share("failed", false, "requests"));
        assertThat(success.target()).isEqualTo(0.995);
        assertThat(success.burns()).isEmpty();
        assertThat(success.window())
                .isEqualTo(new Calendar(LocalDateTime.of(2024, 1, 1, 0, 0), ZoneId.of("UTC"), 1, ChronoUnit.MONTHS));
        SloSpec load = file.objectives().get(2);
        assertThat(load.view()).isEqualTo("fleet");
        assertThat(load.leastPerSecond()).isEqualTo(800);
        assertThat(load.timeslices()).contains(new Slicing(Duration.ofMinutes(1), 0.99));
    }

    @Test
    void aBodyReadsAsItsSloAlone() {
        SloFile file = SloFile.read(EXAMPLE, SHIPPED);
        assertThat(file.bodies()).containsOnlyKeys("chat-ttft", "chat-success", "chat-under-load");
        file.bodies().forEach((name, body) -> assertThat(
                        SloFile.parse(name, body, SHIPPED).objectives())
                .as(name)
                .isEqualTo(file.objectives().stream()
                        .filter(objective -> objective.name().equals(name))
                        .toList()));
        assertThat(file.bodies().get("chat-success")).doesNotContain("burn").contains("kind: \"SLI\"");
        assertThat(file.bodies().get("chat-under-load")).doesNotContain("---");
    }

    @ParameterizedTest
    @CsvSource({
        "'op: lte, value: 2000', true, 2000000",
        "'op: lt, value: 2000', true, 1999999",
        "'op: gte, value: 2000', false, 2000000",
        "'op: gt, value: 2000', false, 2000001",
        "'op: lte, value: 0.1', true, 100",
        "'op: lte, value: 0.0015', true, 1",
        "'op: gte, value: 0.0015', false, 2"
    })
    void limitsAreInTheMetricsStoredUnit(String limit, boolean isUpper, long stored) {
        assertThat(only(SLO.replace("op: lte, value: 2000", limit)).indicator())
                .isEqualTo(new Indicator.Values("ttft", isUpper, stored));
    }

    @Test
    void unitsAreThoseOfTheMetric() {
        assertThat(only(SLO.replace(", unit: ms", "").replace("value: 2000", "value: 0.2"))
                        .indicator())
                .isEqualTo(new Indicator.Values("ttft", true, 200_000));
        assertThat(only(SLO.replace("metric: ttft", "metric: tpot").replace("value: 2000", "value: 50"))
                        .indicator())
                .isEqualTo(new Indicator.Values("tpot", true, 50_000_000));
        assertThat(only(SLO.replace("metric: ttft, unit: ms", "metric: prompt_tokens"))
                        .indicator())
                .isEqualTo(new Indicator.Values("prompt_tokens", true, 2_000));
        assertProblems(
                SLO.replace("metric: ttft, unit: ms", "metric: prompt_tokens, unit: ms"),
                "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.spec.unit: must be left out: prompt_tokens is"
                        + " in tokens, found 'ms'");
    }

    @Test
    void seriesAreThoseOfAView() {
        SloSpec tenants = only(SLO.replace("metric: ttft", "metric: ttft, view: tenant-model, where: {model: llama}"));
        assertThat(tenants.view()).isEqualTo("tenant-model");
        assertThat(tenants.where()).isEqualTo(Map.of("model", "llama"));
        assertProblems(
                SLO.replace("metric: ttft", "metric: ttft, view: tenant-modl"),
                "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.spec.view: must be a view of production's"
                        + " requests, found 'tenant-modl', did you mean 'tenant-model'?");
        assertProblems(
                SLO.replace("metric: ttft", "metric: ttft, view: tenant-model, where: {modl: llama}"),
                "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.spec.where.modl: must be one of tenant,"
                        + " model, the dimensions of view tenant-model, found another name, did you mean 'model'?");
        assertProblems(
                SLO.replace("metric: ttft", "metric: queue, view: node-prompt"),
                "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.spec.metric: must be one that view"
                        + " node-prompt keeps, found 'queue'");
    }

    @Test
    void aRatioMayHaveSeveralTargets() {
        String ratio = SLO.replace(
                        "{thresholdMetric: {metricSource: {spec: {metric: ttft, unit: ms}}}}",
                        "{ratioMetric: {good: {metricSource: {spec: {metric: good}}}, total: {metricSource: {spec: {metric: requests}}}}}")
                .replace(
                        "{op: lte, value: 2000, target: 0.99}",
                        "{target: 0.99}, {targetPercent: 99.9, displayName: stretch}");
        List<SloSpec> objectives = SloFile.parse("x", ratio, SHIPPED).objectives();
        assertThat(objectives).extracting(SloSpec::name).containsExactly("one/1", "one/2");
        assertThat(objectives).extracting(SloSpec::target).containsExactly(0.99, 0.999);
        assertThat(objectives).extracting(SloSpec::displayName).containsExactly("one", "stretch");
        assertThat(objectives.get(0).indicator()).isEqualTo(new Indicator.Share("good", true, "requests"));
        assertProblems(
                ratio.replace("{target: 0.99}", "{target: 0.99, op: lte, value: 3}"),
                "document 1, line 9: spec.objectives[0].op: must be left out of a ratio, found it",
                "document 1, line 9: spec.objectives[0].value: must be left out of a ratio, found it");
    }

    @Test
    void aConditionThatCanNeverFireIsRefused() {
        String slo =
                SLO.replace("target: 0.99", "target: 0.9") + "  alertPolicies: [{alertPolicyRef: fast}]\n" + CONDITION;
        assertProblems(
                slo,
                "document 1, line 10: spec.alertPolicies: must be conditions with a threshold below 10.00, which is how fast a total"
                        + " outage burns, found condition 'burn' with 14.4, which can never fire");
    }

    /** OpenSLO's own example writes lte for a rate that is exceeded. */
    @Test
    void lteOfABurnRateIsRefusedUnlessItIsMeant() {
        String slo = SLO + "  alertPolicies: [{alertPolicyRef: fast}]\n" + CONDITION.replace("op: gte", "op: lte");
        assertProblems(
                slo,
                "document 3, line 20: spec.condition.op: must be gte: an alert is for what burns faster, not slower (annotation"
                        + " inferwatch.io/strict: \"false\" takes lte as gte), found 'lte'");
        SloFile meant = SloFile.parse(
                "x",
                slo.replace("{name: burn}", "{name: burn, annotations: {inferwatch.io/strict: \"false\"}}"),
                SHIPPED);
        assertThat(meant.warnings()).containsExactly("AlertCondition burn: op lte is taken as gte");
        assertThat(meant.objectives().get(0).burns().orElseThrow()).hasSize(1);
    }

    @Test
    void policiesAndConditionsMayStandInline() {
        String inline = SLO + "  alertPolicies:\n"
                + "    - kind: AlertPolicy\n"
                + "      metadata: {name: here}\n"
                + "      spec:\n"
                + "        conditions:\n"
                + "          - kind: AlertCondition\n"
                + "            metadata: {name: there, annotations: {inferwatch.io/shortWindow: 10m}}\n"
                + "            spec: {severity: ticket,"
                + " condition: {kind: burnrate, op: gt, threshold: 2, lookbackWindow: 3h}}\n";
        BurnSpec burn = only(inline).burns().orElseThrow().get(0);
        assertThat(burn.name()).isEqualTo("there");
        assertThat(burn.shortWindow()).isEqualTo(Duration.ofMinutes(10));
        assertThat(burn.severity()).isEqualTo(Severity.TICKET);
        assertThat(only(SLO + "  alertPolicies: []\n").burns()).contains(List.of());
    }

    @Test
    void referencesAreResolvedOverAllDocuments() {
        assertProblems(
                SLO + "  alertPolicies: [{alertPolicyRef: fst}]\n" + CONDITION,
                "document 1, line 10: spec.alertPolicies[0].alertPolicyRef: must be the name of one AlertPolicy of this file, found"
                        + " 'fst', did you mean 'fast'?");
        assertProblems(
                SLO.replace(
                        "indicator: {metadata: {name: value}, spec: {thresholdMetric: {metricSource: {spec: {metric: ttft, unit: ms}}}}}",
                        "indicatorRef: missing"),
                "document 1, line 6: spec.indicatorRef: must be the name of one SLI of this file, found 'missing'");
        assertProblems(
                SLO + "---\n" + SLO,
                "document 2, line 13: metadata.name: must be another name than any SLO before it has, found 'one' again");
        assertProblems(
                SLO.replace("metricSource: {spec", "metricSource: {metricSourceRef: stream, spec"),
                "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.metricSourceRef: must be the name of one"
                        + " DataSource of this file, found 'stream'");
        assertThat(
                        only(
                                SLO.replace("metricSource: {spec", "metricSource: {metricSourceRef: stream, spec")
                                        + "---\napiVersion: openslo/v1\nkind: DataSource\nmetadata: {name: stream}\nspec: {type: any}\n"))
                .isNotNull();
    }

    @Test
    void allProblemsOfAllDocumentsAreToldTogether() {
        String many = """
                apiVersion: openslo/v1alpha
                kind: SLO
                metadata: {name: Bad_Name}
                spec:
                  servic: chat
                  indicator: {spec: {thresholdMetric: {metricSource: {type: prometheus, spec: {metric: ttftt}}}}}
                  timeWindow: [{duration: 5x, isRolling: true}]
                  budgetingMethod: Occurences
                  objectives:
                    - {op: below, value: x, target: 0.9, targetPercent: 90}
                ---
                apiVersion: openslo/v1
                kind: SLOO
                metadata: {name: two}
                ---
                - not a mapping
                ---
                apiVersion: openslo/v1
                kind: AlertCondition
                metadata: {name: three}
                spec:
                  severity: loud
                  condition: {kind: anomaly, op: eq, threshold: 0, lookbackWindow: 1Y, alertAfter: soon}
                """;
        InvalidSettingsException refused =
                catchThrowableOfType(InvalidSettingsException.class, () -> SloFile.parse("slo.yaml", many, SHIPPED));
        assertThat(refused.problems())
                .containsExactlyInAnyOrder(
                        "document 1, line 1: apiVersion: must be openslo/v1, found 'openslo/v1alpha'",
                        "document 1, line 3: metadata.name: must be at most 63 lower-case letters, digits and inner hyphens, found"
                                + " 'Bad_Name'",
                        "document 1, line 4: spec.service: must be set, found nothing",
                        "document 1, line 5: spec.servic: unknown key, did you mean 'service'?",
                        "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.type: must be inferwatch, found"
                                + " 'prometheus'",
                        "document 1, line 6: spec.indicator.spec.thresholdMetric.metricSource.spec.metric: must be a metric of requests"
                                + " of kind quantile, found 'ttftt', did you mean 'ttft'?",
                        "document 1, line 7: spec.timeWindow[0].duration: must be from 1d to 92d, in days or weeks, found '5x'",
                        "document 1, line 8: spec.budgetingMethod: must be one of Occurrences, Timeslices, found 'Occurences', did you"
                                + " mean 'Occurrences'?",
                        "document 1, line 10: spec.objectives[0].op: must be one of lte, gte, lt, gt, found 'below'",
                        "document 1, line 10: spec.objectives[0].value: must be a number from 0, found 'x'",
                        "document 1, line 10: spec.objectives[0].target, targetPercent: must be one of both, found both",
                        "document 2, line 13: kind: must be one of SLO, SLI, AlertPolicy, AlertCondition, AlertNotificationTarget,"
                                + " DataSource, Service, found 'SLOO', did you mean 'SLO'?",
                        "document 3, line 16: must be a mapping of keys, found a list",
                        "document 3, line 16: apiVersion: must be set, found nothing",
                        "document 3, line 16: kind: must be set, found nothing",
                        "document 4, line 22: spec.severity: must be page or ticket, found 'loud'",
                        "document 4, line 23: spec.condition.kind: must be burnrate, found 'anomaly'",
                        "document 4, line 23: spec.condition.op: must be gte or gt, found 'eq'",
                        "document 4, line 23: spec.condition.threshold: must be above 0, found 0",
                        "document 4, line 23: spec.condition.lookbackWindow: must be a number and m, h, d or w, such as 1h, found '1Y'",
                        "document 4, line 23: spec.condition.alertAfter: must be a number and m, h, d or w, such as 1h, found 'soon'");
        assertThat(refused).hasMessageStartingWith("slo.yaml:\n  document 1, ");
    }

    @Test
    void timeslicesNeedTheirOwnTargetAndLength() {
        String sliced = SLO.replace("Occurrences", "Timeslices");
        assertProblems(
                sliced,
                "document 1, line 9: spec.objectives[0].timeSliceTarget: must be set, found nothing",
                "document 1, line 9: spec.objectives[0].timeSliceWindow: must be set, found nothing");
        assertProblems(
                sliced.replace("target: 0.99", "target: 0.99, timeSliceTarget: 1.5, timeSliceWindow: 7m"),
                "document 1, line 9: spec.objectives[0].timeSliceTarget: must be above 0 and at most 1, found 1.5",
                "document 1, line 9: spec.objectives[0].timeSliceWindow: must be minutes of which an hour has a whole number, such as"
                        + " 5m, found '7m'");
        assertProblems(
                SLO.replace("target: 0.99", "target: 0.99, timeSliceTarget: 0.9"),
                "document 1, line 9: spec.objectives[0].timeSliceTarget: must be left out where budgetingMethod is not Timeslices,"
                        + " found it");
    }

    @Test
    void calendarsNeedAStartAndAZone() {
        String rolling = "{duration: 30d, isRolling: true}";
        assertProblems(
                SLO.replace(rolling, "{duration: 1M, calendar: {startTime: yesterday, timeZone: Mars}}"),
                "document 1, line 7: spec.timeWindow[0].calendar.startTime: must be a local time such as \"2024-01-01 00:00:00\","
                        + " found 'yesterday'",
                "document 1, line 7: spec.timeWindow[0].calendar.timeZone: must be a zone such as UTC or Europe/Berlin, found 'Mars'");
        assertProblems(
                SLO.replace(rolling, "{duration: 1Y, calendar: {startTime: \"2024-01-01 00:00\", timeZone: UTC}}"),
                "document 1, line 7: spec.timeWindow[0].duration: must be from 1d to 1Q, in days, weeks, months or a quarter, found '1Y'");
        assertProblems(
                SLO.replace(rolling, "{duration: 30d}"),
                "document 1, line 7: spec.timeWindow[0].isRolling, calendar: must be one of both, found none");
    }

    @Test
    void whatIsNoYamlOrHasNoSloIsRefused() {
        assertThatThrownBy(() -> SloFile.parse("x", "a: [", SHIPPED))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("must be YAML, found: ");
        assertThatThrownBy(() -> SloFile.parse("x", CONDITION, SHIPPED))
                .hasMessage("x:\n  must have an SLO, found none");
        assertThatThrownBy(() -> SloFile.read(Path.of("none.yaml"), SHIPPED))
                .hasMessage("none.yaml:\n  must be a readable file, found NoSuchFileException");
    }

    @ParameterizedTest
    @EnumSource
    void mlPerfsLimitsReadAsTwoSlos(MlPerfLimits limits) {
        List<SloSpec> objectives = SloFile.parse("x", limits.openSlo("chat", Optional.of("a \"b\"")), SHIPPED)
                .objectives();
        assertThat(objectives)
                .extracting(SloSpec::name)
                .containsExactly(limits.label() + "-ttft", limits.label() + "-tpot");
        assertThat(objectives).extracting(SloSpec::where).containsOnly(Map.of("model", "a \"b\""));
        assertThat(MlPerfLimits.of(limits.label())).contains(limits);
    }

    @Test
    void mlPerfsLimitsAreThePublishedOnes() {
        List<SloSpec> interactive = SloFile.parse(
                        "x", MlPerfLimits.LLAMA2_70B_INTERACTIVE.openSlo("chat", Optional.empty()), SHIPPED)
                .objectives();
        assertThat(interactive)
                .extracting(SloSpec::indicator)
                .containsExactly(
                        new Indicator.Values("ttft", true, 450_000), new Indicator.Values("tpot", true, 40_000_000));
    }

    private static SloSpec only(String text) {
        List<SloSpec> objectives = SloFile.parse("x", text, SHIPPED).objectives();
        assertThat(objectives).hasSize(1);
        return objectives.get(0);
    }

    private static void assertProblems(String text, String... problems) {
        InvalidSettingsException refused =
                catchThrowableOfType(InvalidSettingsException.class, () -> SloFile.parse("x", text, SHIPPED));
        assertThat(refused.problems()).containsExactlyInAnyOrder(problems);
    }
}
