package io.inferwatch.jobs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.jobs.window.Samples;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceFunctionTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();
    private static final long GB = 1_000_000_000;

    private final EventCodec codec = new EventCodec();
    private InterceptingOperatorMetricGroup metrics = new InterceptingOperatorMetricGroup();
    private KeyedOneInputStreamOperatorTestHarness<String, Sample, OutboundRecord> harness = open(null);
    private final List<OutboundRecord> results = new ArrayList<>();
    private final List<OutboundRecord> alerts = new ArrayList<>();
    private long sequence;

    @BeforeEach
    void opened() throws Exception {
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** Of sixty seconds: 27 waited for memory, 12 for tensor cores, 9 were idle, 6 were neither, of 6 the readings were too far apart. */
    @Test
    void aMinuteIsSharedOutOverWhatHeldTheDeviceBack() throws Exception {
        List<GpuSample.Builder> minute = new ArrayList<>();
        add(minute, 27, 920_000, 480_000, 0L);
        add(minute, 12, 310_000, 910_000, 100_000L);
        add(minute, 9, 100_000, 50_000, 0L);
        add(minute, 6, 700_000, 700_000, 0L);
        add(minute, 6, 920_000, 480_000, 100_001L);
        shuffle(minute, 5);
        for (int i = 0; i < minute.size(); i++) {
            send(at(minute.get(i), TEN + 1_000L * (i + 1)));
        }
        harness.processWatermark(TEN + MINUTE - 1);
        assertThat(taken("bottleneck")).isEmpty();
        harness.processWatermark(TEN + MINUTE);

        FigureResult told = only("bottleneck");
        assertThat(told.getWindowEndMicros()).isEqualTo((TEN + MINUTE) * 1_000);
        assertThat(told.getDimensions())
                .containsExactly(
                        new Dimension("gpu", "GPU-1"), new Dimension("mig", "none"), new Dimension("node", "node-1"));
        assertThat(told.getValues()).containsEntry("observed_seconds", 60.0);
        share(told, "bandwidth_bound", 27);
        share(told, "compute_bound", 12);
        share(told, "underused", 9);
        share(told, "balanced", 6);
        share(told, "unknown", 6);
        share(told, "links_unknown", 60);
        assertThat(told.getTexts())
                .containsEntry("limit", "bandwidth")
                .containsEntry("pcie", "not read")
                .containsEntry("nvlink", "not read");
        assertThat(told.getValues()).as("what is not known is not 0").doesNotContainKeys("pcie_saturated");
        assertThat(taken("placement")).as("nothing is known of it").isEmpty();
    }

    @Test
    void linksBesideTheRest() throws Exception {
        long pcie = 0;
        long nvlink = 0;
        for (int second = 1; second <= 60; second++) {
            // Of 50 GB/s a direction, 43 in twenty of the seconds; the other direction rests.
            pcie += second > 10 && second <= 30 ? 43 * GB : GB;
            nvlink += 400 * GB;
            send(at(device(920_000, 480_000, 0L), TEN + 1_000L * second)
                    .setPcieSentBytesTotal(0L)
                    .setPcieReceivedBytesTotal(pcie)
                    .setPcieMaxBytesPerSecond(50 * GB)
                    .setNvlinkSentBytesTotal(nvlink)
                    .setNvlinkReceivedBytesTotal(nvlink)
                    .setNvlinkMaxBytesPerSecond(second > 30 ? 450 * GB : null));
        }
        harness.processWatermark(TEN + MINUTE);

        FigureResult told = only("bottleneck");
        share(told, "pcie_saturated", 20);
        share(told, "nvlink_saturated", 30);
        share(told, "bandwidth_and_link", 50);
        share(told, "links_unknown", 1);
        assertThat(told.getTexts()).containsEntry("pcie", "known").containsEntry("nvlink", "known");
    }

    @Test
    void aLinkWithoutACapacityIsNotAtRest() throws Exception {
        for (int second = 1; second <= 60; second++) {
            send(at(device(920_000, 480_000, 0L), TEN + 1_000L * second)
                    .setNvlinkSentBytesTotal(second * GB)
                    .setNvlinkReceivedBytesTotal(0L));
        }
        harness.processWatermark(TEN + MINUTE);

        FigureResult told = only("bottleneck");
        assertThat(told.getTexts()).containsEntry("nvlink", "capacity unknown");
        assertThat(told.getValues()).doesNotContainKey("nvlink_saturated").containsEntry("links_unknown", 1.0);
    }

    @Test
    void anOldReadingSpeaksForNoTimeAndASilenceForOneInterval() throws Exception {
        send(at(device(920_000, 480_000, 0L), TEN + 1_000));
        send(at(device(920_000, 480_000, 0L), TEN + 2_000).setAgesMicros(Map.of("dramActivePpm", 1_000_001L)));
        send(at(device(920_000, 480_000, 0L), TEN + 50_000));
        harness.processWatermark(TEN + MINUTE);

        FigureResult told = only("bottleneck");
        assertThat(told.getValues()).containsEntry("observed_seconds", 3.0);
        assertThat(told.getValues().get("unknown")).isCloseTo(1 / 3.0, within(1e-12));
    }

    @Test
    void instancesOfADeviceAreTheirOwn() throws Exception {
        send(at(device(920_000, 480_000, 0L), TEN + 1_000).setMigId("MIG-a"));
        send(at(device(310_000, 910_000, 0L), TEN + 1_000).setMigId("MIG-b"));
        harness.processWatermark(TEN + MINUTE);

        assertThat(taken("bottleneck"))
                .extracting(told -> told.getDimensions().get(1).getValue(), told -> told.getTexts()
                        .get("limit"))
                .containsExactlyInAnyOrder(tuple("MIG-a", "bandwidth"), tuple("MIG-b", "compute"));
    }

    @Test
    void aProcessOfAnotherNodeIsAnAlertWithTheCommandThatMendsItUntilItIsMended() throws Exception {
        minute(0, "32-63", false);
        assertThat(only("placement").getTexts()).containsEntry("placed", "near").doesNotContainKey("command");
        minute(1, "0-31", true);
        assertThat(only("placement").getTexts()).containsEntry("placed", "far");
        assertThat(takenAlerts()).as("one minute is none").isEmpty();
        minute(2, "32-63", false);
        minute(3, "0-31", true);
        List<FigureResult> both = taken("placement");
        FigureResult told = both.get(both.size() - 1);
        assertThat(told.getTexts())
                .containsEntry("recommended_cpus", "32-63")
                .containsEntry("actual_cpus", "0-31")
                .containsEntry("process", "vllm (4711)")
                .containsEntry("command", "taskset -acp 32-63 4711")
                .containsEntry("start", "numactl --cpunodebind=1 --membind=1");
        assertThat(told.getCounts())
                .containsEntry("numa_node", 1L)
                .containsEntry("far_processes", 1L)
                .containsEntry("processes", 1L)
                .containsEntry("misplaced", 1L);

        Alert opened = takenAlerts().get(0);
        assertThat(opened.getState()).isEqualTo(AlertState.FIRING);
        assertThat(opened.getName()).isEqualTo("placement");
        assertThat(opened.getFingerprint()).isEqualTo("placement:GPU-1");
        assertThat(opened.getStartsAtMicros()).isEqualTo((TEN + MINUTE) * 1_000);
        assertThat(opened.getLabels()).containsEntry("gpu", "GPU-1").containsEntry("node", "node-1");
        assertThat(opened.getEvidence())
                .extracting(Evidence::getNote)
                .contains("taskset -acp 32-63 4711", "numactl --cpunodebind=1 --membind=1 …");

        minute(4, "32-63", false);
        minute(5, "32-63", false);
        assertThat(takenAlerts()).isEmpty();
        minute(6, "32-63", false);
        Alert closed = takenAlerts().get(0);
        assertThat(closed.getState()).isEqualTo(AlertState.RESOLVED);
        assertThat(closed.getFingerprint()).isEqualTo(opened.getFingerprint());
        assertThat(closed.getStartsAtMicros()).isEqualTo(opened.getStartsAtMicros());
        assertThat(closed.getEndsAtMicros()).isEqualTo((TEN + 7 * MINUTE) * 1_000);
        assertThat(counted("placement_alerts_opened_total")).isEqualTo(1);
        assertThat(counted("placement_alerts_closed_total")).isEqualTo(1);
    }

    @Test
    void aListThatIsNoneGivesNoCommand() throws Exception {
        GpuSample.Builder sample = placed("0-31", true).setCpuAffinity("0-3; rm -rf /");
        send(at(sample, TEN + 1_000));
        harness.processWatermark(TEN + MINUTE);
        FigureResult told = only("placement");
        assertThat(told.getTexts())
                .containsEntry("placed", "unknown")
                .doesNotContainKeys("command", "start", "recommended_cpus");
    }

    @Test
    void whatComesOutOfItsOrderOrAfterItsMinuteIsCountedAndLeftOut() throws Exception {
        send(at(device(920_000, 480_000, 0L), TEN + 2_000));
        send(at(device(310_000, 910_000, 0L), TEN + 1_000));
        harness.processWatermark(TEN + MINUTE);
        send(at(device(310_000, 910_000, 0L), TEN + 3_000));
        harness.processWatermark(TEN + 2 * MINUTE);

        assertThat(only("bottleneck").getValues())
                .containsEntry("observed_seconds", 1.0)
                .containsEntry("bandwidth_bound", 1.0);
        assertThat(counted("device_samples_out_of_order_total")).isEqualTo(2);
    }

    @Test
    void aRestartLosesNothing() throws Exception {
        minute(0, "0-31", true);
        for (int second = 1; second <= 30; second++) {
            send(at(placed("0-31", true), TEN + MINUTE + 1_000L * second));
        }
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        harness.close();
        results.clear();
        harness = open(snapshot);
        harness.open();
        for (int second = 31; second <= 60; second++) {
            send(at(placed("0-31", true), TEN + MINUTE + 1_000L * second));
        }
        harness.processWatermark(TEN + 2 * MINUTE);

        assertThat(only("bottleneck").getValues()).containsEntry("observed_seconds", 60.0);
        assertThat(takenAlerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING);
    }

    @Test
    void aDeviceThatIsGoneIsForgottenAndItsAlertExpires() throws Exception {
        minute(0, "0-31", true);
        minute(1, "0-31", true);
        assertThat(takenAlerts()).hasSize(1);
        harness.processWatermark(TEN + Duration.ofDays(3).toMillis());
        assertThat(takenAlerts()).extracting(Alert::getState).containsExactly(AlertState.EXPIRED);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    private void minute(int number, String cpus, boolean isFar) throws Exception {
        send(at(placed(cpus, isFar), TEN + number * MINUTE + 30_000));
        harness.processWatermark(TEN + (number + 1) * MINUTE);
    }

    private static void share(FigureResult told, String field, int seconds) {
        assertThat(told.getValues().get(field)).as(field).isCloseTo(seconds / 60.0, within(1e-12));
    }

    private static void add(List<GpuSample.Builder> minute, int times, long dram, long tensor, @Nullable Long apart) {
        for (int i = 0; i < times; i++) {
            minute.add(device(dram, tensor, apart));
        }
    }

    private static void shuffle(List<GpuSample.Builder> minute, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = minute.size() - 1; i > 0; i--) {
            Collections.swap(minute, i, random.nextInt(i + 1));
        }
    }

    private static GpuSample.Builder device(long dram, long tensor, @Nullable Long apart) {
        return Samples.gpu("GPU-1", 0, 0)
                .setDramActivePpm(dram)
                .setTensorActivePpm(tensor)
                .setReadingsApartMicros(apart);
    }

    private static GpuSample.Builder placed(String cpus, boolean isFar) {
        GpuProcess process = new GpuProcess();
        process.setPid(4711);
        process.setName("vllm");
        process.setCpusAllowed(cpus);
        process.setFarFromDevice(isFar);
        return Samples.gpu("GPU-1", 0, 0).setNumaNode(1).setCpuAffinity("32-63").setProcesses(List.of(process));
    }

    private GpuSample.Builder at(GpuSample.Builder sample, long atMillis) {
        return sample.setSequence(sequence++).setSampledAtMicros(atMillis * 1_000);
    }

    private void send(GpuSample.Builder built) throws Exception {
        GpuSample sample = built.build();
        long atMillis = sample.getSampledAtMicros() / 1_000;
        harness.processElement(
                new Sample(
                        new InboundRecord("inferwatch.gpu", 0, 0, atMillis, null, codec.encode(sample)),
                        "inferwatch.gpu/GPU-1",
                        sample.getSampledAtMicros(),
                        "",
                        ""),
                atMillis);
    }

    private FigureResult only(String kind) throws Exception {
        List<FigureResult> found = taken(kind);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** Figures of a kind since they were last taken. */
    private List<FigureResult> taken(String kind) throws Exception {
        results.addAll(harness.extractOutputValues());
        harness.getOutput().clear();
        List<FigureResult> found = new ArrayList<>();
        for (OutboundRecord record : List.copyOf(results)) {
            FigureResult figures = codec.decode(record.value(), FigureResult.class);
            if (figures.getKind().equals(kind)) {
                found.add(figures);
                results.remove(record);
            }
        }
        return found;
    }

    private List<Alert> takenAlerts() throws Exception {
        Queue<StreamRecord<OutboundRecord>> output = harness.getSideOutput(DeviceFunction.ALERTS);
        List<Alert> found = new ArrayList<>();
        if (output != null) {
            for (StreamRecord<OutboundRecord> record : output) {
                if (!alerts.contains(record.getValue())) {
                    alerts.add(record.getValue());
                    found.add(codec.decode(record.getValue().value(), Alert.class));
                }
            }
        }
        return found;
    }

    private long counted(String name) {
        return ((Counter) metrics.get(name)).getCount();
    }

    private KeyedOneInputStreamOperatorTestHarness<String, Sample, OutboundRecord> open(
            @Nullable OperatorSubtaskState state) {
        try {
            metrics = new InterceptingOperatorMetricGroup();
            var opened = new KeyedOneInputStreamOperatorTestHarness<>(
                    new KeyedProcessOperator<>(new DeviceFunction()),
                    Sample::subject,
                    Types.STRING,
                    new MockEnvironmentBuilder()
                            .setMetricGroup(new InterceptingTaskMetricGroup() {
                                @Override
                                public InternalOperatorMetricGroup getOrAddOperator(
                                        OperatorID id, String name, Map<String, String> variables) {
                                    return metrics;
                                }
                            })
                            .build());
            if (state != null) {
                opened.initializeState(state);
            }
            return opened;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
