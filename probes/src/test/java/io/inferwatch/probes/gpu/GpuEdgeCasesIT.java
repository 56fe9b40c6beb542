package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What went wrong with GPUs in the wild, case by case, against a simulated driver. GPU-09 (text of nvidia-smi) and GPU-14 (profiling fields of DCGM), and GPU-12 as DCGM's
 * exporter shows it, are of probes that read those.
 */
class GpuEdgeCasesIT {
    private static final int NOT_SUPPORTED = 3;
    private static final int LOST = 15;
    private static final int MISMATCH = 18;
    private static final int UNKNOWN = 999;

    @TempDir
    private Path directory;

    @Test
    @DisplayName("GPU-01 MIG parent: utilisation not supported, memory fine, each instance its own record")
    void gpu01() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("mig", 7)
                .set("total", 42_505_273_344L)
                .set("used", 14_987_362_304L)
                .set("reserved", 0)
                .set("nvmlDeviceGetUtilizationRates", NOT_SUPPORTED)
                .set("gpu0.mig2.used", 1_000)
                .started()) {
            List<GpuSample> samples = host.round();

            GpuSample parent = samples.get(0);
            assertThat(parent.getMigId()).isNull();
            assertThat(parent.getState()).isEqualTo(GpuState.OK);
            assertThat(parent.getBusyPpm()).isNull();
            assertThat(parent.getMemoryTrafficPpm()).isNull();
            assertThat(parent.getTotalBytes()).isEqualTo(42_505_273_344L);
            assertThat(parent.getUsedBytes()).isEqualTo(14_987_362_304L);
            assertThat(samples.subList(1, samples.size()))
                    .extracting(GpuSample::getMigId)
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 7)
                            .mapToObj(i -> SimulatedHost.migUuid(0, i))
                            .toList());
            assertThat(samples).extracting(GpuSample::getGpu).containsOnly(SimulatedHost.uuid(0));
            assertThat(samples)
                    .filteredOn(sample -> SimulatedHost.migUuid(0, 2).equals(sample.getMigId()))
                    .singleElement()
                    .satisfies(sample -> {
                        assertThat(sample.getUsedBytes()).isEqualTo(1_000);
                        assertThat(sample.getPowerMilliwatts())
                                .as("the board's power is not repeated on each instance")
                                .isNull();
                    });
        }
    }

    @Test
    @DisplayName(
            "GPU-02 used differs between memory calls: v2 is preferred, the source recorded, and one series never changes over")
    void gpu02() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("used", 0)
                .set("reserved", 308L << 20)
                .started()) {
            GpuSample idle = host.sample();
            assertThat(idle.getMemorySource()).isEqualTo("nvml-v2");
            assertThat(idle.getUsedBytes()).isZero();
            assertThat(idle.getReservedBytes()).isEqualTo(308L << 20);

            host.set("nvmlDeviceGetMemoryInfo_v2", NOT_SUPPORTED);
            GpuSample without = host.sample();
            assertThat(without.getMemorySource()).isNull();
            assertThat(without.getUsedBytes()).isNull();
        }
    }

    @Test
    @DisplayName("GPU-02 a driver before R510 has the first memory call only")
    void gpu02OldDriver() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory, "-DOLD")
                .set("used", 0)
                .set("reserved", 308L << 20)
                .set("reasons", 0x4)
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getMemorySource()).isEqualTo("nvml-v1");
            assertThat(sample.getUsedBytes()).isEqualTo(308L << 20);
            assertThat(sample.getReservedBytes()).isNull();
            assertThat(sample.getThrottleReasons()).containsExactly("sw-power-cap");
        }
    }

    @Test
    @DisplayName("GPU-04 unified memory, not supported: no memory, all else")
    void gpu04NotSupported() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("nvmlDeviceGetMemoryInfo", NOT_SUPPORTED)
                .set("nvmlDeviceGetMemoryInfo_v2", NOT_SUPPORTED)
                .set("power", 11_170)
                .set("busy", 0)
                .set("nvmlDeviceGetTemperature.0", 35)
                .started()) {
            isUnified(host.sample());
        }
    }

    @Test
    @DisplayName("GPU-04 unified memory, success with a total of 0: the same")
    void gpu04TotalOfZero() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("total", 0)
                .set("used", 0)
                .set("reserved", 0)
                .set("power", 11_170)
                .set("busy", 0)
                .set("nvmlDeviceGetTemperature.0", 35)
                .started()) {
            isUnified(host.sample());
            assertThat(host.counters().rejected().get(GpuField.MEMORY)).isZero();
        }
    }

    private static void isUnified(GpuSample sample) {
        assertThat(sample.getMarks()).containsExactly("unified-memory");
        assertThat(sample.getTotalBytes()).isNull();
        assertThat(sample.getUsedBytes()).isNull();
        assertThat(sample.getState()).isEqualTo(GpuState.OK);
        assertThat(sample.getBusyPpm()).isZero();
        assertThat(sample.getPowerMilliwatts()).isEqualTo(11_170);
        assertThat(sample.getTemperatureCelsius()).isEqualTo(35);
    }

    @Test
    @DisplayName("GPU-05 one card of eight is lost: seven go on, one event, no retries that slow the others")
    void gpu05() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).set("count", 8).started()) {
            assertThat(host.round()).hasSize(8);

            host.set("gpu5.status", LOST);
            List<GpuSample> samples = host.round();
            assertThat(samples)
                    .filteredOn(sample -> sample.getState() == GpuState.OK)
                    .hasSize(7);
            assertThat(samples)
                    .filteredOn(sample -> sample.getState() == GpuState.LOST)
                    .singleElement()
                    .satisfies(lost -> {
                        assertThat(lost.getGpu()).isEqualTo(SimulatedHost.uuid(5));
                        assertThat(lost.getIndex()).isEqualTo(5);
                        assertThat(lost.getPowerMilliwatts()).isNull();
                        assertThat(lost.getNode()).isEqualTo("node-1");
                    });
            assertThat(host.counters().devices(GpuState.OK)).isEqualTo(7);
            assertThat(host.counters().devices(GpuState.LOST)).isEqualTo(1);

            int calls = host.calls(5);
            for (int second = 0; second < 9; second++) {
                assertThat(host.round()).hasSize(7);
            }
            assertThat(host.calls(5)).isEqualTo(calls);

            assertThat(host.round()).as("asked again, and still lost: no news").hasSize(7);
            assertThat(host.calls(5)).isGreaterThan(calls);

            host.unset("gpu5.status");
            assertThat(host.roundAfter(Duration.ofSeconds(20)))
                    .hasSize(8)
                    .allSatisfy(sample -> assertThat(sample.getState()).isEqualTo(GpuState.OK));
        }
    }

    @Test
    @DisplayName("GPU-05 the driver stops counting the lost card: one event with the UUID known from before")
    void gpu05CountFalls() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).set("count", 8).started()) {
            assertThat(host.round()).hasSize(8);
            host.set("count", 7);
            assertThat(host.round())
                    .hasSize(8)
                    .filteredOn(sample -> sample.getState() == GpuState.LOST)
                    .extracting(GpuSample::getGpu)
                    .containsExactly(SimulatedHost.uuid(7));
            assertThat(host.round()).hasSize(7);
        }
    }

    @Test
    @DisplayName(
            "GPU-05 a card that was lost before the probe began: counted, without a sample, and found when it is back")
    void gpu05FromTheStart() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("count", 2)
                .set("gpu1.status", LOST)
                .started()) {
            assertThat(host.round()).extracting(GpuSample::getIndex).containsExactly(0);
            assertThat(host.counters().devices(GpuState.LOST)).isEqualTo(1);
            host.unset("gpu1.status");
            assertThat(host.roundAfter(Duration.ofSeconds(10)))
                    .extracting(GpuSample::getIndex)
                    .containsExactly(0, 1);
            assertThat(host.counters().devices(GpuState.LOST)).isZero();
        }
    }

    @Test
    @DisplayName(
            "GPU-07 NVML stops working in a running container: one event a device, back-off, then on with the same totals")
    void gpu07() throws Exception {
        try (SimulatedHost host =
                SimulatedHost.in(directory).set("count", 2).set("energy", 1_000).started()) {
            host.round();
            host.set("energy", 1_700);
            assertThat(host.round())
                    .extracting(GpuSample::getEnergyMillijoulesTotal)
                    .containsExactly(700L, 700L);

            host.set("status", UNKNOWN);
            assertThat(host.round()).hasSize(2).allSatisfy(sample -> {
                assertThat(sample.getState()).isEqualTo(GpuState.UNREADABLE);
                assertThat(sample.getEnergyMillijoulesTotal()).isNull();
                assertThat(sample.getUsedBytes()).isNull();
            });
            assertThat(host.sampler().obstacle()).contains("NVML does not answer any more: unknown (999)");
            long openings = host.counters().openings();
            for (int second = 0; second < 9; second++) {
                assertThat(host.round()).isEmpty();
            }
            assertThat(host.counters().openings()).isEqualTo(openings);
            assertThat(host.round()).as("tried again in vain").isEmpty();
            assertThat(host.counters().openings()).isEqualTo(openings + 1);
            assertThat(host.counters().devices(GpuState.UNREADABLE)).isEqualTo(2);

            host.unset("status");
            host.set("energy", 2_000);
            assertThat(host.roundAfter(Duration.ofSeconds(20)))
                    .extracting(GpuSample::getState, GpuSample::getEnergyMillijoulesTotal)
                    .containsExactly(tuple(GpuState.OK, 1_000L), tuple(GpuState.OK, 1_000L));
            assertThat(host.sampler().obstacle()).isEmpty();
        }
    }

    @Test
    @DisplayName("GPU-07 the count still answers, the devices do not: the same")
    void gpu07DevicesOnly() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).set("count", 2).started()) {
            host.round();
            host.set("gpu0.status", UNKNOWN).set("gpu1.status", UNKNOWN);
            int calls = host.calls(0);
            assertThat(host.round())
                    .extracting(GpuSample::getState)
                    .containsExactly(GpuState.UNREADABLE, GpuState.UNREADABLE);
            assertThat(host.calls(0) - calls)
                    .as("a device that answers nothing is not asked everything")
                    .isLessThan(10);
            assertThat(host.sampler().obstacle()).isPresent();
        }
    }

    @Test
    @DisplayName("GPU-08 driver updated under the process: a reason of its own, and no end of the process")
    void gpu08() throws Exception {
        try (SimulatedHost host =
                SimulatedHost.in(directory).set("nvmlInit_v2", MISMATCH).started()) {
            assertThat(host.sampler().obstacle()).hasValueSatisfying(reason -> assertThat(reason)
                    .startsWith("NVML: driver/library mismatch, restart needed"));
            assertThat(host.round()).isEmpty();
        }
    }

    @Test
    @DisplayName("GPU-08 the mismatch comes while it runs")
    void gpu08WhileRunning() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).started()) {
            host.round();
            host.set("status", MISMATCH);
            assertThat(host.sample().getState()).isEqualTo(GpuState.UNREADABLE);
            assertThat(host.sampler().obstacle()).contains("NVML: driver/library mismatch, restart needed");
        }
    }

    @Test
    @DisplayName("GPU-10 power in milliwatts, and garbage with success: rejected and counted")
    void gpu10() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("power", 161_300)
                .set("limit", 700_000)
                .started()) {
            assertThat(host.sample().getPowerMilliwatts()).isEqualTo(161_300);

            host.set("power", 3_700_000);
            GpuSample garbage = host.sample();
            assertThat(garbage.getPowerMilliwatts()).isNull();
            assertThat(garbage.getPowerLimitMilliwatts()).isEqualTo(700_000);
            assertThat(garbage.getMarks()).containsExactly("rejected-power");
            assertThat(host.counters().rejected().get(GpuField.POWER)).isEqualTo(1);

            host.set("power", 1_050_000);
            assertThat(host.sample().getPowerMilliwatts())
                    .as("1.5 times the limit")
                    .isEqualTo(1_050_000);
            host.set("power", 1_050_001);
            assertThat(host.sample().getPowerMilliwatts()).isNull();

            host.set("nvmlDeviceGetEnforcedPowerLimit", NOT_SUPPORTED).set("power", 2_000_000);
            assertThat(host.sample().getPowerMilliwatts()).isEqualTo(2_000_000);
            host.set("power", 2_000_001);
            assertThat(host.sample().getPowerMilliwatts()).isNull();
        }
    }

    @Test
    @DisplayName("GPU-10 utilisation over 100 %, and placeholders for no value, are rejected and counted")
    void gpu10OtherGarbage() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("busy", 101)
                .set("nvmlDeviceGetTemperature.0", 4_294_967_295L)
                .set("energy", 9_223_372_036_854_775_794L)
                .set("corrected", "18446744073709551615")
                .set("field.82", 9_223_372_036_854_775_794L)
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getBusyPpm()).isNull();
            assertThat(sample.getTemperatureCelsius()).isNull();
            assertThat(sample.getEnergyMillijoulesTotal()).isNull();
            assertThat(sample.getEccCorrectedTotal()).isNull();
            assertThat(sample.getMemoryTemperatureCelsius()).isNull();
            assertThat(sample.getMarks())
                    .containsExactlyInAnyOrder(
                            "rejected-utilization",
                            "rejected-temperature",
                            "rejected-energy",
                            "rejected-ecc-corrected",
                            "rejected-memory-temperature");
            assertThat(host.counters().rejected())
                    .containsEntry(GpuField.UTILIZATION, 1L)
                    .containsEntry(GpuField.TEMPERATURE, 1L)
                    .containsEntry(GpuField.ENERGY, 1L)
                    .containsEntry(GpuField.ECC_CORRECTED, 1L)
                    .containsEntry(GpuField.MEMORY_TEMPERATURE, 1L);
        }
    }

    @Test
    @DisplayName("GPU-12 an Xid is told once; a second one of the same code is a second one")
    void gpu12() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).started()) {
            assertThat(host.sample())
                    .extracting(GpuSample::getXid, GpuSample::getXidEventsTotal)
                    .containsExactly(null, 0L);
            host.set("xids", "1:0:31");
            assertThat(host.sample())
                    .extracting(GpuSample::getXid, GpuSample::getXidEventsTotal)
                    .containsExactly(31L, 1L);
            assertThat(host.sample())
                    .extracting(GpuSample::getXid, GpuSample::getXidEventsTotal)
                    .containsExactly(null, 1L);
            host.set("xids", "2:0:31");
            assertThat(host.sample())
                    .extracting(GpuSample::getXid, GpuSample::getXidEventsTotal)
                    .containsExactly(31L, 2L);
            assertThat(host.counters().xids()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("GPU-12 where errors cannot be watched, their number is unknown and not 0")
    void gpu12NotWatched() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("nvmlDeviceRegisterEvents", NOT_SUPPORTED)
                .started()) {
            assertThat(host.sample().getXidEventsTotal()).isNull();
        }
    }

    @Test
    @DisplayName("GPU-17 memory traffic is not memory use")
    void gpu17() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("busy", 97)
                .set("traffic", 3)
                .set("total", 80L << 30)
                .set("used", 78L << 30)
                .set("reserved", 0)
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getBusyPpm()).isEqualTo(970_000);
            assertThat(sample.getMemoryTrafficPpm()).isEqualTo(30_000);
            assertThat(sample.getUsedBytes()).isEqualTo(83_751_862_272L);
            assertThat(sample.getTotalBytes()).isEqualTo(85_899_345_920L);
        }
    }

    @Test
    void theHostsClockMayJump() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory).started()) {
            GpuSample first = host.sample();
            assertThat(first.getSampledAtMicros()).isEqualTo(1_796_029_201_123_456L);
            assertThat(first.getIntervalMicros()).isEqualTo(1_000_000);
            assertThat(first.getMarks()).isEmpty();
            host.setClock(Duration.ofHours(-1));
            GpuSample back = host.sample();
            assertThat(back.getSampledAtMicros()).isEqualTo(1_796_025_602_123_456L);
            assertThat(back.getMarks()).containsExactly("clock-stepped");
            assertThat(host.sample().getMarks()).isEmpty();
        }
    }

    @Test
    void aCounterThatBeginsAnewLeavesItsTotalGrowing() throws Exception {
        try (SimulatedHost host =
                SimulatedHost.in(directory).set("energy", 5_000).started()) {
            assertThat(host.sample().getEnergyMillijoulesTotal()).isZero();
            host.set("energy", 5_400);
            assertThat(host.sample().getEnergyMillijoulesTotal()).isEqualTo(400);
            host.set("energy", 30);
            assertThat(host.sample().getEnergyMillijoulesTotal()).isEqualTo(430);
        }
    }

    @Test
    void noDriverIsOneClearLine() throws IOException {
        SimulatedHost host = SimulatedHost.in(directory).set("nvmlInit_v2", 9);
        assertThatThrownBy(host::started)
                .isInstanceOfSatisfying(
                        NvmlException.class, e -> assertThat(e.isAbsent()).isTrue())
                .hasMessage("NVML: no NVIDIA driver is loaded; GPU fields will be empty");
    }
}
