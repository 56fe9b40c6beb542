package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An hour of an A100 costs 3.60 dollars here: a second a tenth of a cent. */
class CostFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long END =
            1_000 * Instant.parse("2026-01-01T10:01:00Z").toEpochMilli();

    private final EventCodec codec = new EventCodec();
    private CountedHarness<CostPart> harness = harness();

    @BeforeEach
    void open() throws Exception {
        harness.open();
        price("A100", "{dollars-per-hour: 3.60, relative-throughput: 1}");
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /**
     * Two devices for a minute: idle a tenth of the 120 s, waiting for each other for 8; of the 100 s left requests spend a fifth in prefill, a
     * tenth in moving caches. So 70 s generate.
     */
    @Test
    void aReplicasMinuteByItsDevicesRequestsAndEngine() {
        List<CostPart> parts = CostPart.ofReplica(new ReplicaWindows(List.of(
                product("r-0", 2, 900_000),
                requests("v1", 7_000, 350),
                window(new GroupWindows(
                                "replica",
                                "engine-replica",
                                new Dimension("replica", "r-0"),
                                new Dimension("model", "m"),
                                new Dimension("version", "v1"))
                        .sum("kv_transfer", 1_000_000)
                        .sum("retracted_tokens", 700)),
                window(new GroupWindows("replica", "operator-replica", new Dimension("replica", "r-0"))
                        .values("communication", 8_000, i -> 1_000_000)))));

        assertThat(parts).singleElement().satisfies(part -> {
            assertThat(part.model()).isEqualTo("m");
            assertThat(part.version()).isEqualTo("v1");
            assertThat(part.product()).isEqualTo("NVIDIA A100-SXM4-80GB");
            assertThat(part.isStaged()).isTrue();
            assertThat(part.seconds()).isCloseTo(120, within(1e-9));
            assertThat(part.idleSeconds()).isCloseTo(12, within(1e-9));
            assertThat(part.communicationSeconds()).isCloseTo(8, within(1e-9));
            assertThat(part.prefillSeconds()).isCloseTo(20, within(1e-9));
            assertThat(part.kvSyncSeconds()).isCloseTo(10, within(1e-9));
            assertThat(part.generatedTokens())
                    .as("those that preemption lost too")
                    .isEqualTo(7_700);
            assertThat(part.work().effectiveThroughput().orElseThrow()).isCloseTo(110, within(1e-9));
        });
    }

    @Test
    void versionsShareAReplicaByTheirTokensAndAnIdleOneIsOfItsEnginesVersion() {
        List<CostPart> parts = CostPart.ofReplica(new ReplicaWindows(
                List.of(product("r-0", 1, 1_000_000), requests("v1", 3_000, 0), requests("v2", 1_000, 0))));
        assertThat(parts).extracting(CostPart::version).containsExactly("v1", "v2");
        assertThat(parts.stream().mapToDouble(CostPart::seconds).sum()).isCloseTo(60, within(1e-9));
        // Prefill is shared by its own tokens, of which both have as many.
        assertThat(parts.get(0).seconds()).isCloseTo(60 * (0.2 / 0.9 * 0.5 + 0.7 / 0.9 * 0.75), within(1e-9));

        List<CostPart> idle = CostPart.ofReplica(new ReplicaWindows(List.of(
                product("r-0", 1, 0),
                window(new GroupWindows(
                        "replica",
                        "engine-replica",
                        new Dimension("replica", "r-0"),
                        new Dimension("model", "m"),
                        new Dimension("version", "v7"))))));
        assertThat(idle).singleElement().satisfies(part -> {
            assertThat(part.version()).isEqualTo("v7");
            assertThat(part.idleSeconds()).isCloseTo(60, within(1e-9));
        });
        assertThat(CostPart.ofReplica(new ReplicaWindows(List.of(requests("v1", 3_000, 0)))))
                .as("without devices")
                .isEmpty();
    }

    /** 100 s of devices cost 10 cents: 50 s of them generate 5,000 tokens, of which 4,000 are of some use. */
    @Test
    void dollarsWasteAndTenants() throws Exception {
        send(devices("v1", "A100", 100, 20, 5_000, 40, 500, 500));
        send(tenant("a", 3_000, 3_000));
        send(tenant("b", 1_000, 2_000));
        harness.passTo(END / 1_000 - 1);
        assertThat(results()).isEmpty();
        harness.passTo(END / 1_000);

        FigureResult cost = result("gpu-product");
        assertThat(cost.getDimensions())
                .containsExactly(
                        new Dimension("model", "m"), new Dimension("version", "v1"), new Dimension("product", "A100"));
        assertThat(cost.getCounts())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("useful_tokens", 4_000L, "generated_tokens", 5_000L, "answered", 40L));
        close(cost, "dollars", 0.1);
        close(cost, "generating_seconds", 50);
        close(cost, "generating_dollars", 0.05);
        close(cost, "effective_tokens_per_second", 100);
        close(cost, "per_thousand_tokens_dollars", 0.01);
        close(cost, "all_in_per_thousand_tokens_dollars", 0.025);
        close(cost, "per_request_dollars", 0.0025);
        close(cost, "idle_dollars", 0.02);
        close(cost, "preempted_dollars", 0.005);
        close(cost, "failed_dollars", 0.005);

        // 30 of the 80 s that worked are prefill's, of which a has three quarters; of the other 50 it has three fifths.
        double share = (30 * 0.75 + 50 * 0.6) / 80;
        List<FigureResult> tenants = results().stream()
                .filter(result -> result.getView().equals("tenant-model"))
                .toList();
        assertThat(tenants).hasSize(2);
        close(tenants.get(0), "cost_share", share);
        close(tenants.get(0), "dollars", 0.1 * share);
        close(tenants.get(1), "dollars", 0.1 * (1 - share));
        close(tenants.get(1), "all_in_per_thousand_tokens_dollars", 0.1 * (1 - share) / 2);
    }

    /** At 100 tokens a second on an A100, 5,000 a minute are one device; an H100 generates 162 of them. */
    @Test
    void theCheapestDeviceForTheLoad() throws Exception {
        price("H100", "{dollars-per-hour: 4.60, relative-throughput: 1.62}");
        price("T4", "{dollars-per-hour: 0.36, relative-throughput: 0.25}");
        send(devices("v1", "A100", 100, 20, 5_000, 40, 0, 0));
        harness.passTo(END / 1_000);

        List<FigureResult> choices = results().stream()
                .filter(result -> result.getKind().equals("device_choice"))
                .toList();
        assertThat(choices)
                .extracting(result -> result.getDimensions().get(3).getValue())
                .containsExactly("T4", "A100", "H100");
        // 83.3 tokens a second on devices that generate 25.
        assertThat(choices.get(0).getCounts()).containsEntry("devices", 4L).containsEntry("cheapness", 1L);
        close(choices.get(0), "per_hour_dollars", 1.44);
        close(choices.get(1), "per_hour_dollars", 3.60);
        close(choices.get(2), "per_thousand_tokens_dollars", 4.60 / 3.6 / 162);
    }

    @Test
    void whatHasNoPriceIsCountedAndAPriceHoldsFromTheNextWindowOn() throws Exception {
        send(devices("v1", "L4", 100, 20, 5_000, 40, 0, 0));
        send(tenant("a", 3_000, 3_000));
        harness.passTo(END / 1_000);
        assertThat(results()).singleElement().satisfies(result -> {
            assertThat(result.getValues())
                    .containsKey("effective_tokens_per_second")
                    .doesNotContainKey("dollars");
        });
        assertThat(harness.counter("products_without_price_total")).isEqualTo(1);

        price("L4", "{dollars-per-hour: 0.72, relative-throughput: 0.4}");
        CostPart next = devices("v1", "L4", 100, 20, 5_000, 40, 0, 0);
        send(moved(next, END + MINUTE));
        harness.passTo((END + MINUTE) / 1_000);
        List<FigureResult> all = results();
        assertThat(all.stream().filter(result -> result.getValues().containsKey("dollars")))
                .singleElement()
                .satisfies(result -> close(result, "dollars", 0.02));
    }

    @Test
    void withoutStagesNobodyKnowsWhatGeneratingCosts() throws Exception {
        CostPart staged = devices("v1", "A100", 100, 20, 5_000, 40, 0, 0);
        send(unstaged(staged));
        harness.passTo(END / 1_000);
        assertThat(result("gpu-product").getValues())
                .containsKeys("dollars", "all_in_per_thousand_tokens_dollars")
                .doesNotContainKeys("effective_tokens_per_second", "per_thousand_tokens_dollars", "failed_dollars");
        assertThat(results()).noneMatch(result -> result.getKind().equals("device_choice"));
    }

    @Test
    void partsOfAWindowAddUpOverARestartAndLateOnesAreCounted() throws Exception {
        send(devices("v1", "A100", 50, 10, 2_000, 20, 0, 0));
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(snapshot);
        harness.open();
        send(devices("v1", "A100", 50, 10, 3_000, 20, 0, 0));
        harness.passTo(END / 1_000);
        close(result("gpu-product"), "dollars", 0.1);
        assertThat(harness.stateEntries()).isZero();

        send(tenant("a", 1, 1));
        assertThat(harness.counter("windows_out_of_order_total")).isEqualTo(1);
        harness.passTo(END / 1_000 + 1);
        assertThat(results()).noneMatch(result -> result.getView().equals("tenant-model"));
    }

    /** 30 s of prefill among those that worked. */
    private static CostPart devices(
            String version,
            String product,
            double seconds,
            double idle,
            long generated,
            long answered,
            long preempted,
            long failed) {
        double prefill = 0.3 * seconds;
        return new CostPart(
                "m", version, product, "", MINUTE, END, true, seconds, idle, prefill, 0, 0, 4_000, generated, answered,
                preempted, failed);
    }

    private static CostPart tenant(String tenant, long prefilled, long generated) {
        return new CostPart("m", "", "", tenant, MINUTE, END, false, 0, 0, 0, 0, 0, prefilled, generated, 10, 0, 0);
    }

    private static CostPart moved(CostPart part, long end) {
        return new CostPart(
                part.model(),
                part.version(),
                part.product(),
                "",
                MINUTE,
                end,
                true,
                part.seconds(),
                part.idleSeconds(),
                part.prefillSeconds(),
                0,
                0,
                part.prefilledTokens(),
                part.generatedTokens(),
                part.answered(),
                0,
                0);
    }

    private static CostPart unstaged(CostPart part) {
        return new CostPart(
                part.model(),
                part.version(),
                part.product(),
                "",
                MINUTE,
                END,
                false,
                part.seconds(),
                part.idleSeconds(),
                0,
                0,
                0,
                part.prefilledTokens(),
                part.generatedTokens(),
                part.answered(),
                0,
                0);
    }

    private static WindowStat product(String replica, int devices, long busyPpm) {
        WindowStat window = window(new GroupWindows(
                "replica",
                "gpu-product",
                new Dimension("product", "NVIDIA A100-SXM4-80GB"),
                new Dimension("replica", replica),
                new Dimension("model", "m")));
        long held = devices * MINUTE;
        window.setGauges(List.of(
                new MetricGauge("gpu_memory", 6L, 0L, 0L, 0L, 0L, 0L, held, 0.0),
                new MetricGauge("gpu_busy", 6L, 0L, 0L, 0L, 0L, 0L, held, (double) busyPpm * held)));
        return window;
    }

    /** Requests are in prefill for 2 s of 9 with decode; with a second of moving caches, of 10. */
    private static WindowStat requests(String version, long generated, long failed) {
        return window(new GroupWindows(
                        "replica",
                        "replica-version",
                        new Dimension("replica", "r-0"),
                        new Dimension("version", version))
                .values("prefill", 2_000, i -> 1_000)
                .values("decode", 7_000, i -> 1_000)
                .sum("prefilled_tokens", 4_000)
                .sum("generated_tokens", generated)
                .sum("completed", 40)
                .sum("failed_tokens", failed));
    }

    private static WindowStat window(GroupWindows windows) {
        try {
            return new EventCodec().decode(windows.member("", MINUTE, END).content(), WindowStat.class);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void price(String device, String body) throws Exception {
        harness.set("price", device, body);
    }

    private void send(CostPart part) throws Exception {
        harness.process(part);
    }

    private FigureResult result(String view) throws Exception {
        List<FigureResult> found = results().stream()
                .filter(result ->
                        result.getKind().equals("cost") && result.getView().equals(view))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private List<FigureResult> results() throws Exception {
        List<FigureResult> results = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            results.add(codec.decode(record.value(), FigureResult.class));
        }
        return results;
    }

    private static CountedHarness<CostPart> harness() {
        return CountedHarness.of(new CostFunction(MetricCatalogue.shippedYaml()), CostPart::model);
    }

    private static void close(FigureResult result, String field, double expected) {
        assertThat(result.getValues().get(field)).as(field).isCloseTo(expected, within(1e-9));
    }
}
