package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.groups.Tuple.tuple;

import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a device in good health tells, through the true binding, with the values that its simulated driver was given. */
class GpuSamplerIT {
    private static final int NOT_SUPPORTED = 3;

    @TempDir
    private Path directory;

    @Test
    void readsWhatADeviceTells() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("driver", "550.54.15")
                .set("used", 60_000_000_000L)
                .set("encoder", 7)
                .set("decoder", 9)
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getOrigin()).isEqualTo("nvml");
            assertThat(sample.getIndex()).isZero();
            assertThat(sample.getName()).isEqualTo("Simulated H100");
            assertThat(sample.getDriver()).isEqualTo("550.54.15");
            assertThat(sample.getTotalBytes()).isEqualTo(85_520_809_984L);
            assertThat(sample.getUsedBytes()).isEqualTo(60_000_000_000L);
            assertThat(sample.getReservedBytes()).isEqualTo(500_000_000L);
            assertThat(sample.getFreeBytes()).isEqualTo(25_020_809_984L);
            assertThat(sample.getBar1UsedBytes()).isEqualTo(2_097_152);
            assertThat(sample.getBusyPpm()).isEqualTo(970_000);
            assertThat(sample.getMemoryTrafficPpm()).isEqualTo(310_000);
            assertThat(sample.getEncoderPpm()).isEqualTo(70_000);
            assertThat(sample.getDecoderPpm()).isEqualTo(90_000);
            assertThat(sample.getPowerMilliwatts()).isEqualTo(161_300);
            assertThat(sample.getPowerLimitMilliwatts()).isEqualTo(700_000);
            assertThat(sample.getTemperatureCelsius()).isEqualTo(48);
            assertThat(sample.getMemoryTemperatureCelsius()).isEqualTo(61);
            assertThat(sample.getSmClockMegahertz()).isEqualTo(1_755);
            assertThat(sample.getMemoryClockMegahertz()).isEqualTo(2_619);
            assertThat(sample.getMaxSmClockMegahertz()).isEqualTo(1_980);
            assertThat(sample.getPcieGeneration()).isEqualTo(4);
            assertThat(sample.getPcieWidth()).isEqualTo(8);
            // 32 GT/s x 16 lanes x 128/130 of the code / 8 bits, whatever the link does at rest.
            assertThat(sample.getPcieMaxBytesPerSecond()).isBetween(63_015_384_000L, 63_015_385_000L);
            assertThat(sample.getThrottleReasons()).isEmpty();
            assertThat(sample.getThrottled()).isFalse();
            assertThat(sample.getRemappedRows()).isZero();
            assertThat(sample.getRowRemapFailed()).isFalse();
            assertThat(sample.getProcesses()).isEmpty();
            assertThat(sample.getMarks()).isEmpty();
        }
    }

    @Test
    void totalsCountFromTheFirstReadingInTheirUnits() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("energy", 9_000_000)
                .set("replays", 5)
                .set("corrected", 100)
                .set("uncorrected", 1)
                .set("power-violation", 7_000_000)
                .set("thermal-violation", 1_000)
                .set("field.138", 1_000)
                .set("field.139", 2_000)
                .set("field.90", 26_562)
                .set("field.91", 18)
                .set("field.38", 1)
                .set("field.52", 10)
                .set("field.197", 4_000_000_000L)
                .set("field.198", 9_000_000_000L)
                .started()) {
            GpuSample first = host.sample();
            assertThat(List.of(
                            first.getEnergyMillijoulesTotal(),
                            first.getPcieReplaysTotal(),
                            first.getEccCorrectedTotal(),
                            first.getEccUncorrectedTotal(),
                            first.getPowerThrottledTotalMicros(),
                            first.getThermalThrottledTotalMicros(),
                            first.getNvlinkSentBytesTotal(),
                            first.getNvlinkReceivedBytesTotal(),
                            first.getNvlinkErrorsTotal(),
                            first.getPcieSentBytesTotal(),
                            first.getPcieReceivedBytesTotal()))
                    .containsOnly(0L);
            assertThat(first.getNvlinkMaxBytesPerSecond())
                    .as("18 links of 26,562 MB/s")
                    .isEqualTo(478_116_000_000L);

            host.set("energy", 9_000_700)
                    .set("replays", 9)
                    .set("corrected", 103)
                    .set("uncorrected", 2)
                    .set("power-violation", 9_500_000)
                    .set("thermal-violation", 4_000)
                    .set("field.138", 3_048)
                    .set("field.139", 2_001)
                    .set("field.38", 3)
                    .set("field.52", 15)
                    .set("field.197", 9_000_000_000L)
                    .set("field.198", 9_000_000_001L);
            GpuSample second = host.sample();
            assertThat(second.getEnergyMillijoulesTotal()).isEqualTo(700);
            assertThat(second.getPcieReplaysTotal()).isEqualTo(4);
            assertThat(second.getEccCorrectedTotal()).isEqualTo(3);
            assertThat(second.getEccUncorrectedTotal()).isEqualTo(1);
            assertThat(second.getPowerThrottledTotalMicros()).isEqualTo(2_500);
            assertThat(second.getThermalThrottledTotalMicros()).isEqualTo(3);
            assertThat(second.getNvlinkSentBytesTotal()).isEqualTo(2_097_152);
            assertThat(second.getNvlinkReceivedBytesTotal()).isEqualTo(1_024);
            assertThat(second.getNvlinkErrorsTotal()).isEqualTo(7);
            assertThat(second.getPcieSentBytesTotal()).isEqualTo(5_000_000_000L);
            assertThat(second.getPcieReceivedBytesTotal()).isEqualTo(1);
            assertThat(second.getPcieSentBytesPerSecond())
                    .as("speeds only where there are no totals")
                    .isNull();
        }
    }

    @Test
    void bandwidthAndTensorCoresAreOfOneWindow() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("gpm.1", "93.5")
                .set("gpm.2", "88")
                .set("gpm.3", "31.25")
                .set("gpm.5", "41.25")
                .set("gpm.10", "87.5")
                .set("gpm.11", "0")
                .set("gpm.12", "100.5")
                .set("gpm.20", "1024")
                .set("gpm.21", "0.5")
                .started()) {
            GpuSample first = host.sample();
            assertThat(first.getDramActivePpm()).as("nothing to compare with").isNull();
            assertThat(first.getReadingsApartMicros()).isNull();

            GpuSample second = host.sample();
            assertThat(second.getEngineActivePpm()).isEqualTo(935_000);
            assertThat(second.getSmActivePpm()).isEqualTo(880_000);
            assertThat(second.getSmOccupancyPpm()).isEqualTo(312_500);
            assertThat(second.getTensorActivePpm()).isEqualTo(412_500);
            assertThat(second.getDramActivePpm()).isEqualTo(875_000);
            assertThat(second.getReadingsApartMicros()).isZero();
            assertThat(second.getFp64ActivePpm()).isZero();
            assertThat(second.getFp32ActivePpm()).as("over 100 %").isNull();
            assertThat(second.getMarks()).containsExactly("rejected-activity");
            assertThat(second.getFp16ActivePpm()).as("not told").isNull();
            assertThat(second.getPcieSentBytesPerSecond()).isEqualTo(1_073_741_824);
            assertThat(second.getPcieReceivedBytesPerSecond()).isEqualTo(524_288);
        }
    }

    @Test
    void aCounterOf32BitsIsNoCounterOfBytesAndSpeedsStandIn() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("field.197.type", 1)
                .set("field.198.type", 1)
                .set("gpm", 0)
                .started()) {
            GpuSample first = host.sample();
            assertThat(first.getPcieSentBytesTotal()).isNull();
            assertThat(first.getPcieReceivedBytesTotal()).isNull();
            assertThat(first.getPcieSentBytesPerSecond()).isEqualTo(250_000_000);
            assertThat(first.getPcieReceivedBytesPerSecond()).isEqualTo(1_250_000_000);
            assertThat(host.sample().getPcieSentBytesPerSecond())
                    .as("the call takes 40 ms: every ten seconds will do")
                    .isNull();
            assertThat(host.roundAfter(Duration.ofSeconds(9)).get(0).getPcieSentBytesPerSecond())
                    .isEqualTo(250_000_000);
        }
    }

    @Test
    void numbersOfFieldsComeInSeveralTypes() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("field.82", 71)
                .set("field.82.type", 1)
                .set("field.139.type", 0)
                .set("field.139", 5)
                .started()) {
            assertThat(host.sample().getMemoryTemperatureCelsius()).isEqualTo(71);
            host.set("field.139", 8);
            assertThat(host.sample().getNvlinkReceivedBytesTotal()).isEqualTo(3_072);
        }
    }

    @Test
    void anInstanceHasItsOwnMemoryActivityAndProcesses() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("mig", 2)
                .set("gpu0.mig0.total", 40_000)
                .set("gpu0.mig0.used", 30_000)
                .set("gpu0.mig0.reserved", 1_000)
                .set("gpu0.mig1.instance", 5)
                .set("gpm.10.instance1", "70")
                .set("gpm.10.instance5", "20")
                .set("processes", "10:1")
                .set("mig.processes", "11:2")
                .started()) {
            host.round();
            List<GpuSample> samples = host.round();
            assertThat(samples).hasSize(3);
            GpuSample whole = samples.get(0);
            assertThat(whole.getProcesses()).as("told with the instances").isEmpty();
            GpuSample first = find(samples, 0);
            assertThat(first.getName()).isEqualTo("Simulated H100 MIG 3g.40gb");
            assertThat(first.getUsedBytes()).isEqualTo(30_000);
            assertThat(first.getFreeBytes()).isEqualTo(9_000);
            assertThat(first.getDramActivePpm()).isEqualTo(700_000);
            assertThat(first.getProcesses()).extracting(GpuProcess::getPid).containsExactly(11);
            assertThat(find(samples, 1).getDramActivePpm()).isEqualTo(200_000);
            assertThat(host.sampler().gpuInstanceId(find(samples, 1))).isEqualTo(5);

            host.set("mig", 1);
            assertThat(host.round()).as("split anew").hasSize(2);
        }
    }

    private static GpuSample find(List<GpuSample> samples, int instance) {
        return samples.stream()
                .filter(sample -> SimulatedHost.migUuid(0, instance).equals(sample.getMigId()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void processesAreDescribedByTheHostAndFarOnesTold() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("processes", "4711:2000000000,4712:18446744073709551615,4713:5")
                .file("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n")
                .file("sys/bus/pci/devices/0000:3b:00.0/local_cpulist", "32-63,96-127\n")
                .file("proc/4711/comm", "vllm\n")
                .file("proc/4711/status", """
                        Name:\tvllm
                        VmLck:\t      64 kB
                        VmRSS:\t 2097152 kB
                        VmSwap:\t     128 kB
                        Cpus_allowed_list:\t0-31
                        """)
                .file("proc/4711/smaps_rollup", """
                        55d0-7ffe ---p 00000000 00:00 0    [rollup]
                        Rss:             2097152 kB
                        Pss:             1048576 kB
                        """)
                .file("proc/4711/cgroup", "0::/pod-a\n")
                .file("proc/4712/comm", "worker\n")
                .file("proc/4712/status", "Cpus_allowed_list:\t0-127\n")
                .file("proc/4712/cgroup", "0::/pod-a/inner\n")
                .file("cgroup/pod-a/memory.current", "1000\n")
                .file("cgroup/pod-a/memory.max", "9000\n")
                .file("cgroup/pod-a/cpu.max", "250000 100000\n")
                .file("cgroup/pod-a/cpu.stat", "usage_usec 500\nthrottled_usec 70\n")
                .file("cgroup/pod-a/inner/memory.current", "300\n")
                .file("cgroup/pod-a/inner/memory.max", "4000\n")
                .file("cgroup/pod-a/inner/cpu.max", "max 100000\n")
                .file("cgroup/pod-a/inner/cpu.stat", "usage_usec 100\nthrottled_usec 7\n")
                .started()) {
            GpuSample first = host.sample();
            assertThat(first.getNumaNode()).isEqualTo(1);
            assertThat(first.getCpuAffinity()).isEqualTo("32-63,96-127");
            GpuProcess vllm = first.getProcesses().get(0);
            assertThat(vllm.getPid()).isEqualTo(4711);
            assertThat(vllm.getName()).isEqualTo("vllm");
            assertThat(vllm.getDeviceBytes()).isEqualTo(2_000_000_000);
            assertThat(vllm.getResidentBytes()).isEqualTo(2_147_483_648L);
            assertThat(vllm.getProportionalBytes()).isEqualTo(1_073_741_824L);
            assertThat(vllm.getSwappedBytes()).isEqualTo(131_072);
            assertThat(vllm.getLockedBytes()).isEqualTo(65_536);
            assertThat(vllm.getCpusAllowed()).isEqualTo("0-31");
            assertThat(vllm.getFarFromDevice()).isTrue();
            assertThat(vllm.getCgroup()).isEqualTo("/pod-a");
            GpuProcess worker = first.getProcesses().get(1);
            assertThat(worker.getDeviceBytes()).as("NVML does not know").isNull();
            assertThat(worker.getFarFromDevice()).isFalse();
            GpuProcess elsewhere = first.getProcesses().get(2);
            assertThat(elsewhere.getName()).as("in another PID namespace").isNull();
            assertThat(elsewhere.getFarFromDevice()).isNull();
            assertThat(first.getCgroupMemoryBytes()).isEqualTo(1_300);
            assertThat(first.getCgroupMemoryLimitBytes()).isEqualTo(13_000);
            assertThat(first.getCgroupCpuLimitPpm())
                    .as("the inner group is under its parent's limit")
                    .isEqualTo(5_000_000);
            assertThat(first.getCgroupCpuTotalMicros()).isZero();

            host.file("cgroup/pod-a/cpu.stat", "usage_usec 900\nthrottled_usec 75\n")
                    .file("cgroup/pod-a/inner/cpu.stat", "usage_usec 150\nthrottled_usec 8\n");
            GpuSample second = host.sample();
            assertThat(second.getCgroupCpuTotalMicros()).isEqualTo(450);
            assertThat(second.getCgroupThrottledTotalMicros()).isEqualTo(6);
            assertThat(second.getProcesses().get(0).getProportionalBytes()).isEqualTo(1_073_741_824L);
            assertThat(second.getAgesMicros()).containsExactly(entry("proportionalBytes", 1_000_000L));
        }
    }

    @Test
    void whereSysfsIsSilentTheDriverTellsTheProcessors() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("affinity", 0b1_1110_0001)
                .file("sys/bus/pci/devices/0000:3b:00.0/numa_node", "-1\n")
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getNumaNode()).isNull();
            assertThat(sample.getCpuAffinity()).isEqualTo("0,5-8");
        }
    }

    @Test
    void aLongListOfProcessesIsReadWhole() throws Exception {
        StringBuilder processes = new StringBuilder("1:1");
        for (int pid = 2; pid <= 20; pid++) {
            processes.append(',').append(pid).append(":1");
        }
        try (SimulatedHost host =
                SimulatedHost.in(directory).set("processes", processes).started()) {
            assertThat(host.sample().getProcesses()).hasSize(20);
        }
    }

    @Test
    void whatADeviceLacksIsNullAndReportedOnce() throws Exception {
        try (SimulatedHost host = SimulatedHost.in(directory)
                .set("nvmlDeviceGetTotalEccErrors", NOT_SUPPORTED)
                .set("nvmlDeviceGetTotalEnergyConsumption", NOT_SUPPORTED)
                .set("nvmlDeviceGetPcieReplayCounter", 4)
                .set("field.82.status", NOT_SUPPORTED)
                .set("gpm", 0)
                .started()) {
            GpuSample sample = host.sample();
            assertThat(sample.getEccCorrectedTotal()).isNull();
            assertThat(sample.getEnergyMillijoulesTotal()).isNull();
            assertThat(sample.getPcieReplaysTotal()).isNull();
            assertThat(sample.getMemoryTemperatureCelsius()).isNull();
            assertThat(host.sampler().lacking(sample))
                    .containsOnlyKeys(
                            GpuField.ECC_CORRECTED,
                            GpuField.ECC_UNCORRECTED,
                            GpuField.ENERGY,
                            GpuField.PCIE_REPLAYS,
                            GpuField.MEMORY_TEMPERATURE,
                            GpuField.ACTIVITY)
                    .containsEntry(GpuField.ENERGY, NvmlStatus.NOT_SUPPORTED)
                    .containsEntry(GpuField.PCIE_REPLAYS, NvmlStatus.NO_PERMISSION);
            Target whole = host.sampler().whole(SimulatedHost.uuid(0));
            assertThat(whole.capabilities().takeReport()).as("said already").isEmpty();
        }
    }

    @Test
    void samplesSayWhoseDeviceItIs() throws Exception {
        try (SimulatedHost host = SimulatedHost.with(
                        directory, """
                        replicas:
                          chat-0: {gpu-uuids: [%s], pool: h100, model: llama}
                          chat-1: {gpu-uuids: [%s], version: "7"}
                        """.formatted(SimulatedHost.uuid(0), SimulatedHost.migUuid(1, 1)))
                .set("count", 2)
                .set("gpu1.mig", 2)
                .started()) {
            List<GpuSample> samples = host.round();
            assertThat(samples)
                    .extracting(GpuSample::getIndex, GpuSample::getMigId, GpuSample::getReplica)
                    .containsExactlyInAnyOrder(
                            tuple(0, null, "chat-0"),
                            tuple(1, null, null),
                            tuple(1, SimulatedHost.migUuid(1, 0), null),
                            tuple(1, SimulatedHost.migUuid(1, 1), "chat-1"));
            assertThat(samples).extracting(GpuSample::getNode).containsOnly("node-1");
            assertThat(samples.get(0).getPool()).isEqualTo("h100");
            assertThat(samples.get(0).getModel()).isEqualTo("llama");
        }
    }
}
