package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FigureFunctionTest {
    private static final long END =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final int N = 1_000;

    private final InterceptingOperatorMetricGroup metrics = new InterceptingOperatorMetricGroup();
    private KeyedOneInputStreamOperatorTestHarness<String, Member, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        MockEnvironment environment = new MockEnvironmentBuilder()
                .setMetricGroup(new InterceptingTaskMetricGroup() {
                    @Override
                    public InternalOperatorMetricGroup getOrAddOperator(
                            OperatorID id, String name, Map<String, String> variables) {
                        return metrics;
                    }
                })
                .build();
        harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new FigureFunction(MetricCatalogue.shippedYaml())),
                Member::key,
                Types.STRING,
                environment);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void stagesOfARoundTripAndWhatItsChainSustains() throws Exception {
        GroupWindows windows = new GroupWindows("template-stages", "template-model", new Dimension("template", "react"))
                .values("parse", N, around(20_000))
                .values("templating", N, around(80_000))
                .values("inference", N, around(420_000))
                .values("queue", N, around(50_000))
                .values("prefill", N, around(60_000))
                .values("decode", N, around(240_000))
                .values("assembly", N, around(50_000))
                .sum("requests", N)
                .sum("good", 900)
                .sum("prefilled_tokens", 3_000)
                .sum("cached_tokens", 1_000);
        send(windows.member("", GroupWindows.MINUTE_MICROS, END));
        harness.processWatermark(END / 1_000 - 1);
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.processWatermark(END / 1_000);

        Map<String, FigureResult> stages = byTag("stage");
        assertThat(stages.keySet())
                .containsExactlyInAnyOrder(
                        "parse", "templating", "inference", "queue", "prefill", "decode", "assembly", "chain");
        FigureResult chain = Objects.requireNonNull(stages.get("chain"));
        assertThat(chain.getValues().get("mean_seconds")).isCloseTo(0.5, within(1e-4));
        interval(chain, "preprocessing_share", 0.2);
        interval(chain, "gpu_share", 0.6);
        interval(chain, "prefill_of_gpu", 0.2);
        interval(chain, "good_ratio", 0.9);
        assertThat(chain.getValues().get("sustained_per_second")).isCloseTo(15, within(1e-9));
        assertThat(chain.getValues().get("sustained_low_per_second")).isBetween(14.0, 14.1);
        assertThat(chain.getValues().get("requests_per_second")).isCloseTo(1_000 / 60.0, within(1e-9));
        assertThat(chain.getValues().get("cached_ratio")).isCloseTo(0.25, within(1e-12));
        FigureResult decode = Objects.requireNonNull(stages.get("decode"));
        assertThat(decode.getCounts()).containsEntry("n", (long) N);
        assertThat(decode.getValues().get("mean_seconds")).isCloseTo(0.24, within(1e-4));
        // Uniform between 0.9 and 1.1 of the mean.
        assertThat(decode.getValues().get("variation")).isCloseTo(0.2 / Math.sqrt(12), within(1e-3));
        interval(decode, "share", 0.48);
        assertThat(Objects.requireNonNull(stages.get("inference")).getValues())
                .as("its parts stand in the chain")
                .doesNotContainKey("share");
        assertThat(chain.getDimensions())
                .containsExactly(new Dimension("template", "react"), new Dimension("stage", "chain"));
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    @Test
    void withoutStagesNothingIsSaid() throws Exception {
        send(new GroupWindows("stages", "model-version")
                .sum("requests", 5)
                .member("", GroupWindows.MINUTE_MICROS, END));
        harness.processWatermark(END / 1_000);
        assertThat(harness.extractOutputValues()).isEmpty();
    }

    @Test
    void structuresByTokensAndByTheGrowthOfTheirTime() throws Exception {
        int[] lengths = {100, 200, 300, 420, 600, 850};
        String[] labels = {"91", "181", "256", "362", "512", "724"};
        for (int i = 0; i < lengths.length; i++) {
            int length = lengths[i];
            structure("plain", labels[i], length, 0.25, 1.0);
            structure("json", labels[i], length, 0.4, 1.3);
        }
        structure("xml", "91", 100, 0.5, 1.3);
        harness.processWatermark(END / 1_000);

        Map<String, FigureResult> byStructure = byTag("structure");
        FigureResult json = Objects.requireNonNull(byStructure.get("json"));
        interval(json, "inflation", 1.6);
        interval(json, "tokenize_exponent", 1.3);
        assertThat(json.getValues().get("tokens_per_character")).isCloseTo(0.4, within(1e-3));
        assertThat(json.getCounts()).containsEntry("lengths", 6L).containsEntry("n", 6L * N);
        interval(Objects.requireNonNull(byStructure.get("plain")), "tokenize_exponent", 1.0);
        assertThat(Objects.requireNonNull(byStructure.get("plain")).getValues()).doesNotContainKey("inflation");
        FigureResult xml = Objects.requireNonNull(byStructure.get("xml"));
        interval(xml, "inflation", 2.0);
        assertThat(xml.getValues()).as("one length has no slope").doesNotContainKey("tokenize_exponent");
    }

    @Test
    void fillAndReuseTogether() throws Exception {
        cell("90.30", 930_000, 310_000, 100);
        cell("10.80", 120_000, 890_000, 300);
        harness.processWatermark(END / 1_000);
        assertThat(harness.extractOutputValues()).hasSize(1);
        FigureResult joint = results().get(0);
        assertThat(joint.getKind()).isEqualTo("kv_joint");
        Map<String, Long> cells = joint.getCounts().entrySet().stream()
                .filter(entry -> entry.getValue() != 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        assertThat(cells)
                .isEqualTo(Map.of(
                        "n", 400L,
                        "fill_90_reuse_30", 100L,
                        "fill_10_reuse_80", 300L,
                        "fill_90", 100L,
                        "fill_10", 300L,
                        "reuse_30", 100L,
                        "reuse_80", 300L));
        assertThat(joint.getCounts()).hasSize(1 + 100 + 20);
        interval(joint, "fill", 0.25 * 0.93 + 0.75 * 0.12);
        interval(joint, "reuse", 0.25 * 0.31 + 0.75 * 0.89);
        assertThat(joint.getValues().get("correlation")).isLessThan(-0.99);
        assertThat(joint.getDimensions()).containsExactly(new Dimension("model", "m"));
        assertThat(new String(
                        Objects.requireNonNull(
                                harness.extractOutputValues().get(0).key()),
                        StandardCharsets.UTF_8))
                .isEqualTo("kv_joint/kv/group");
    }

    @Test
    void aWindowThatComesAfterItsGroupWasComputedIsCountedAndLeftOut() throws Exception {
        harness.processWatermark(END / 1_000);
        cell("90.30", 930_000, 310_000, 100);
        harness.processWatermark(END / 1_000 + 60_000);
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(((Counter) metrics.get("windows_out_of_order_total")).getCount())
                .isEqualTo(1);
    }

    private void structure(String structure, String label, int length, double density, double exponent)
            throws Exception {
        send(new GroupWindows("prompt-shapes", "structure", new Dimension("model", "m"))
                .values("prompt_characters", N, around(length))
                .values("prompt_tokens", N, around(density * length))
                .values("tokenize", N, around(100 * Math.pow(length, exponent)))
                .member('/' + structure + '/' + label, GroupWindows.MINUTE_MICROS, END));
    }

    private void cell(String label, double fill, double reuse, int n) throws Exception {
        send(new GroupWindows("kv-joint", "kv", new Dimension("model", "m"))
                .values("context_fill", n, i -> fill * (0.98 + 0.04 * (i + 0.5) / n))
                .values("cache_reuse", n, i -> reuse * (0.98 + 0.04 * (i + 0.5) / n))
                .member(label, GroupWindows.MINUTE_MICROS, END));
    }

    private static IntToDoubleFunction around(double mean) {
        return i -> mean * (0.9 + 0.2 * (i + 0.5) / N);
    }

    private void send(Member member) throws Exception {
        harness.processElement(new StreamRecord<>(member, END / 1_000));
    }

    private static void interval(FigureResult figures, String name, double truth) {
        Map<String, Double> values = figures.getValues();
        assertThat(values.get(name)).as(name).isCloseTo(truth, within(0.005 * truth));
        assertThat(values.get(name + "_low")).as(name).isLessThan(truth);
        assertThat(values.get(name + "_high")).as(name).isGreaterThan(truth);
    }

    private Map<String, FigureResult> byTag(String tag) {
        return results().stream()
                .collect(Collectors.toMap(
                        result -> result.getDimensions().stream()
                                .filter(dimension -> dimension.getName().equals(tag))
                                .findFirst()
                                .orElseThrow()
                                .getValue(),
                        result -> result));
    }

    private List<FigureResult> results() {
        EventCodec codec = new EventCodec();
        return harness.extractOutputValues().stream()
                .map(record -> {
                    try {
                        return codec.decode(record.value(), FigureResult.class);
                    } catch (UndecodableEventException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }
}
