package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryFunctionTest {
    private static final long GB = 1_000_000_000L;
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long TEN =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();

    private final EventCodec codec = new EventCodec();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = harness();
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void theDevicesMemoryIsPartedByWhatItAndItsEngineTell() throws Exception {
        send(
                device().gauge("gpu_memory", 80 * GB, 80 * GB)
                        .gauge("gpu_memory_used", 70 * GB, 71 * GB)
                        .gauge("allocator_allocated", 60 * GB, 60 * GB)
                        .gauge("allocator_reserved", 64 * GB, 64 * GB)
                        .gauge("allocator_inactive_split", 3 * GB, 3 * GB)
                        .gauge("allocator_cache_share", 62_500, 62_500)
                        .gauge("allocator_split_share", 46_875, 46_875),
                1);
        send(engineOfDevice(), 1);
        assertThat(results("memory"))
                .as("before event time is 20 s past the end")
                .isEmpty();
        pass(1);

        FigureResult memory = results("memory").get(0);
        assertThat(memory.getDimensions())
                .containsExactly(
                        new Dimension("gpu", "GPU-a"),
                        new Dimension("mig", "none"),
                        new Dimension("node", "n1"),
                        new Dimension("replica", "r1"));
        // 64 reserved = 16 + 40 + 1 told by the engine, 3 split, and 4 of workspace; 6 used outside of it.
        assertThat(memory.getValues())
                .containsOnly(
                        entry("capacity_bytes", 80e9),
                        entry("used_bytes", 70e9),
                        entry("used_max_bytes", 71e9),
                        entry("weights_bytes", 16e9),
                        entry("kv_cache_bytes", 40e9),
                        entry("graphs_bytes", 1e9),
                        entry("fragmentation_bytes", 3e9),
                        entry("workspace_bytes_estimated", 4e9),
                        entry("other_bytes_estimated", 6e9));
        assertThat(memory.getCounts()).containsOnly(entry("n", 6L), entry("clamped", 0L));
        FigureResult fragmentation = results("fragmentation").get(0);
        assertThat(fragmentation.getValues())
                .containsOnly(entry("cache_share", 0.0625), entry("split_share", 0.046875));
        assertThat(fragmentation.getCounts())
                .containsOnly(entry("n", 6L), entry("allocation_retries", 0L), entry("out_of_memory", 0L));
    }

    @Test
    void whatCannotBeIsBroughtToTheNearestThatCanAndCounted() throws Exception {
        send(device().gauge("gpu_memory", 80 * GB, 80 * GB).gauge("gpu_memory_used", 50 * GB, 50 * GB), 1);
        send(engineOfDevice(), 1);
        pass(1);
        FigureResult memory = results("memory").get(0);
        // 57 are told where 50 are used.
        assertThat(memory.getValues()).containsEntry("other_bytes_estimated", 0.0);
        assertThat(memory.getCounts()).containsEntry("clamped", 1L);
    }

    @Test
    void aDeviceThatWillBeFullWithinTheHorizonIsAnAlertOnceItIsHighlyUsed() throws Exception {
        // 0.4 GB a minute, from 65 GB on: 68 GB (85 % of 80) from minute 8 on; shown with ten readings; full in minute
        // 37.5.
        for (int minute = 0; minute < 12; minute++) {
            long used = 65 * GB + minute * 400_000_000L;
            send(device().gauge("gpu_memory", 80 * GB, 80 * GB).gauge("gpu_memory_used", used, used), minute);
            pass(minute);
        }
        assertThat(alerts()).singleElement().satisfies(alert -> {
            assertThat(alert.getName()).isEqualTo("memory");
            assertThat(alert.getFingerprint()).isEqualTo("memory:memory/GPU-a/none");
            assertThat(alert.getState()).isEqualTo(AlertState.FIRING);
            assertThat(alert.getStartsAtMicros()).as("the tenth minute").isEqualTo(TEN + 8 * MINUTE);
            assertThat(alert.getChangedAtMicros()).isEqualTo(TEN + 10 * MINUTE);
            assertThat(alert.getLabels()).containsEntry("gpu", "GPU-a").containsEntry("node", "n1");
            assertThat(evidence(alert, "share of device memory used")).isCloseTo(69 / 80.0, within(1e-9));
            // 11 GB are free, at 0.4 a minute.
            assertThat(evidence(alert, "seconds until it is full")).isCloseTo(27.5 * 60, within(1e-3));
        });
        FigureResult last = results("memory").get(11);
        assertThat(last.getValues().get("growth_bytes_per_second_estimated")).isCloseTo(4e8 / 60, within(1.0));
        assertThat(last.getValues().get("full_in_seconds_estimated")).isCloseTo(26.5 * 60, within(1e-3));

        for (int minute = 12; minute < 15; minute++) {
            send(device().gauge("gpu_memory", 80 * GB, 80 * GB).gauge("gpu_memory_used", 60 * GB, 60 * GB), minute);
            pass(minute);
        }
        assertThat(alerts())
                .extracting(Alert::getState)
                .as("none of three minutes shows it")
                .containsExactly(AlertState.FIRING, AlertState.RESOLVED);
    }

    @Test
    void aDeviceThatIsFullByDesignIsNoAlert() throws Exception {
        for (int minute = 0; minute < 20; minute++) {
            long used = 78 * GB + (minute % 2) * 1_000_000L;
            send(device().gauge("gpu_memory", 80 * GB, 80 * GB).gauge("gpu_memory_used", used, used), minute);
            pass(minute);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void splitBlocksAreAnAlertOnlyWhereAllocationsAreRetriedOrFail() throws Exception {
        long[] retries = {0, 0, 0, 5, 0, 7, 0, 0, 0};
        for (int minute = 0; minute < retries.length; minute++) {
            send(fragmented(200_000).sum("allocation_retries", retries[minute]), minute);
            pass(minute);
        }
        assertThat(alerts())
                .extracting(Alert::getName, Alert::getState, Alert::getStartsAtMicros, Alert::getChangedAtMicros)
                .containsExactly(
                        tuple("fragmentation", AlertState.FIRING, TEN + 2 * MINUTE, TEN + 5 * MINUTE),
                        tuple("fragmentation", AlertState.RESOLVED, TEN + 2 * MINUTE, TEN + 8 * MINUTE));
        assertThat(alerts().get(0).getFingerprint()).isEqualTo("fragmentation:memory/GPU-a/none");
        assertThat(evidence(alerts().get(0), "allocations retried")).isEqualTo(7);
    }

    @Test
    void anAllocatorThatKeepsMuchAndRetriesIsNotFragmented() throws Exception {
        for (int minute = 0; minute < 5; minute++) {
            send(fragmented(100_000).sum("allocation_retries", 9), minute);
            pass(minute);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void limitsAreTakenFromTheConfigurationWhileJobsRun() throws Exception {
        harness.processBroadcastElement(setting("limit", "split-share", "8%"), 0);
        for (int minute = 0; minute < 2; minute++) {
            send(fragmented(100_000).sum("out_of_memory", 1), minute);
            pass(minute);
        }
        assertThat(alerts()).extracting(Alert::getName).containsExactly("fragmentation");
    }

    @Test
    void theCachesUseAndWasteFollowFromItsEngineAndTheLengthsOfSequences() throws Exception {
        harness.processBroadcastElement(setting("layer", "m", "{full: 1, sliding: 3, window-tokens: 50}"), 0);
        send(requests().values("sequence_tokens", 100, i -> 100), 1);
        send(
                replica()
                        .gauge("kv_use", 500_000, 600_000)
                        .gauge("kv_blocks", 1_000, 1_000)
                        .gauge("kv_block_tokens", 16, 16)
                        .gauge("decode_tokens", 6_000, 6_000)
                        .gauge("running_requests", 60, 60)
                        .sum("preemptions", 3),
                1);
        pass(1);
        FigureResult result = results("kv_cache").get(0);
        assertThat(result.getDimensions())
                .containsExactly(
                        new Dimension("replica", "r1"), new Dimension("model", "m"), new Dimension("version", "v1"));
        assertThat(result.getCounts()).containsOnly(entry("n", 6L), entry("preemptions", 3L), entry("clamped", 0L));
        Map<String, Double> values = result.getValues();
        assertThat(values).containsEntry("use", 0.5).containsEntry("use_max", 0.6);
        // 500 blocks have room for 8,000 tokens, 6,000 are there; 100 tokens in blocks of 16 leave 12 empty, 60 times.
        assertThat(values.get("waste_estimated")).isCloseTo(0.25, within(1e-9));
        assertThat(values.get("tail_waste_estimated")).isCloseTo(720 / 8_000.0, within(1e-9));
        // Three layers of four need 50 of 100 tokens.
        assertThat(values.get("layer_waste_estimated")).isCloseTo(0.375, within(1e-9));
    }

    @Test
    void whatAnEngineCountsIsMeasuredAndWhatItDoesNotTellIsAbsent() throws Exception {
        send(replica().gauge("kv_use", 500_000, 500_000).gauge("kv_waste", 125_000, 125_000), 1);
        pass(1);
        assertThat(results("kv_cache").get(0).getValues())
                .containsOnly(entry("use", 0.5), entry("use_max", 0.5), entry("waste", 0.125));
        send(replica().gauge("running_requests", 1, 1), 2);
        pass(2);
        assertThat(results("kv_cache")).as("nothing is known of the cache").hasSize(1);
    }

    @Test
    void aFullCacheIsAnAlertOnlyWhileRequestsArePreempted() throws Exception {
        for (int minute = 0; minute < 5; minute++) {
            send(replica().gauge("kv_use", 970_000, 1_000_000).sum("preemptions", minute < 3 ? 0 : 2), minute);
            pass(minute);
        }
        assertThat(alerts()).singleElement().satisfies(alert -> {
            assertThat(alert.getFingerprint()).isEqualTo("memory:kv_cache/r1");
            assertThat(alert.getLabels())
                    .isEqualTo(Map.of("view", "engine-replica", "replica", "r1", "model", "m", "version", "v1"));
            assertThat(alert.getStartsAtMicros()).isEqualTo(TEN + 2 * MINUTE);
            assertThat(alert.getSummary()).startsWith("replica r1, model m, version v1: the KV cache is used by 97 %");
        });
    }

    @Test
    void aRestoredTaskGoesOnWhereItWas() throws Exception {
        send(replica().gauge("kv_use", 970_000, 1_000_000).sum("preemptions", 1), 0);
        pass(0);
        var state = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
        send(replica().gauge("kv_use", 970_000, 1_000_000).sum("preemptions", 1), 1);
        pass(1);
        assertThat(alerts()).hasSize(1);
    }

    @Test
    void aSubjectThatHasFallenSilentIsForgottenAndItsAlertExpires() throws Exception {
        for (int minute = 0; minute < 2; minute++) {
            send(replica().gauge("kv_use", 970_000, 1_000_000).sum("preemptions", 1), minute);
            pass(minute);
        }
        long later = (TEN + MINUTE) / 1_000 + Duration.ofHours(3).toMillis();
        harness.processWatermark(later);
        harness.processBroadcastWatermark(later);
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.EXPIRED);
        assertThat(alerts().get(1).getFingerprint()).isEqualTo(alerts().get(0).getFingerprint());
        assertThat(alerts().get(1).getStartsAtMicros())
                .isEqualTo(alerts().get(0).getStartsAtMicros());
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        assertThat(((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries())
                .isZero();
    }

    @Test
    void theEndOfTheInputIsNoSilence() throws Exception {
        for (int minute = 0; minute < 2; minute++) {
            send(replica().gauge("kv_use", 970_000, 1_000_000).sum("preemptions", 1), minute);
            pass(minute);
        }
        harness.processWatermark(Long.MAX_VALUE);
        harness.processBroadcastWatermark(Long.MAX_VALUE);
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING);
    }

    private static GroupWindows device() {
        return new GroupWindows(
                "memory",
                "gpu-device",
                new Dimension("gpu", "GPU-a"),
                new Dimension("mig", "none"),
                new Dimension("node", "n1"));
    }

    private static GroupWindows fragmented(long splitPpm) {
        return device().gauge("allocator_allocated", 20 * GB, 20 * GB)
                .gauge("allocator_reserved", 64 * GB, 64 * GB)
                .gauge("allocator_cache_share", 687_500, 687_500)
                .gauge("allocator_split_share", splitPpm, splitPpm);
    }

    private static GroupWindows engineOfDevice() {
        return new GroupWindows(
                        "memory",
                        "engine-device",
                        new Dimension("device", "GPU-a"),
                        new Dimension("mig", "none"),
                        new Dimension("replica", "r1"))
                .gauge("weight_memory", 16 * GB, 16 * GB)
                .gauge("kv_cache_memory", 40 * GB, 40 * GB)
                .gauge("graph_memory", GB, GB);
    }

    private static GroupWindows replica() {
        return new GroupWindows(
                "kv_cache",
                "engine-replica",
                new Dimension("replica", "r1"),
                new Dimension("model", "m"),
                new Dimension("version", "v1"));
    }

    private static GroupWindows requests() {
        return new GroupWindows(
                "kv_cache", "replica-version", new Dimension("replica", "r1"), new Dimension("version", "v1"));
    }

    /** A window that ends so many minutes after ten. */
    private void send(GroupWindows window, int minute) throws Exception {
        String group = window.task().equals("memory") ? "memory/GPU-a/none" : "kv_cache/r1";
        harness.processElement(window.member(group, window.view(), MINUTE, TEN + minute * MINUTE), 0);
    }

    private void pass(int minute) throws Exception {
        long watermark = (TEN + minute * MINUTE) / 1_000 + 20_000;
        harness.processWatermark(watermark);
        harness.processBroadcastWatermark(watermark);
    }

    private InboundRecord setting(String kind, String name, String body) {
        return new InboundRecord(
                "config",
                0,
                0,
                0,
                (kind + '/' + name).getBytes(StandardCharsets.UTF_8),
                codec.encode(new Setting(kind, name, TEN, body)));
    }

    private List<FigureResult> results(String kind) {
        return harness.extractOutputValues().stream()
                .map(record -> decode(record, FigureResult.class))
                .filter(result -> result.getKind().equals(kind))
                .toList();
    }

    private List<Alert> alerts() {
        List<Alert> alerts = new ArrayList<>();
        var output = harness.getSideOutput(MemoryFunction.ALERTS);
        if (output != null) {
            output.forEach(record -> alerts.add(decode(record.getValue(), Alert.class)));
        }
        return alerts;
    }

    private static double evidence(Alert alert, String name) {
        return alert.getEvidence().stream()
                .filter(evidence -> evidence.getName().equals(name))
                .mapToDouble(Evidence::getValue)
                .findFirst()
                .orElseThrow();
    }

    private <T extends SpecificRecord> T decode(OutboundRecord record, Class<T> type) {
        try {
            return codec.decode(record.value(), type);
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness()
            throws Exception {
        return new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new MemoryFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
    }
}
