package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.host.ControlGroup;
import io.inferwatch.probes.gpu.host.CpuSet;
import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.gpu.host.HostProcess;
import io.inferwatch.probes.gpu.nvml.NvmlDevice.ComputeProcess;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds to a sample what the host tells of the processes on its device and of their control groups. Proportional memory is old by up to {@value #PROPORTIONAL_SECONDS} s,
 * which the sample says, and is read for one process in a round at most: the kernel takes a while for a large one.
 */
final class ProcessReader {
    static final int PROPORTIONAL_SECONDS = 60;
    static final String PROPORTIONAL = "proportionalBytes";

    private static final String CPU = "cgroup-cpu";
    private static final String THROTTLED = "cgroup-throttled";

    private final HostFiles host;
    private final LongSupplier nanoTime;
    private final Map<Integer, Proportional> proportional = new HashMap<>();
    // Of this round: one process may use many devices, and one group holds many processes.
    private final Map<Integer, HostProcess> seen = new HashMap<>();
    private final Map<String, ControlGroup> groupsSeen = new HashMap<>();
    private boolean mayRead;

    private record Proportional(@Nullable Long bytes, long atNanos) {}

    ProcessReader(HostFiles host, LongSupplier nanoTime) {
        this.host = host;
        this.nanoTime = nanoTime;
    }

    /** A new round over all devices begins. */
    void beginRound() {
        proportional.keySet().retainAll(seen.keySet());
        seen.clear();
        groupsSeen.clear();
        mayRead = true;
    }

    /** Adds the processes, and the sum over their control groups. */
    void read(Target target, List<ComputeProcess> processes, GpuSample sample) {
        List<GpuProcess> told = new ArrayList<>();
        Set<String> groups = new TreeSet<>();
        for (ComputeProcess process : processes) {
            HostProcess found = seen.computeIfAbsent(process.pid(), pid -> HostProcess.read(host, pid));
            GpuProcess one = new GpuProcess();
            one.setPid(process.pid());
            one.setName(found.name());
            one.setDeviceBytes(process.bytes());
            one.setResidentBytes(found.residentBytes());
            one.setProportionalBytes(found.name() == null ? null : proportionalBytes(process.pid(), sample));
            one.setSwappedBytes(found.swappedBytes());
            one.setLockedBytes(found.lockedBytes());
            CpuSet allowed = found.cpusAllowed();
            CpuSet near = target.place().cpus();
            one.setCpusAllowed(allowed == null ? null : allowed.toString());
            one.setFarFromDevice((allowed == null || near == null) ? null : allowed.isDisjointFrom(near));
            one.setCgroup(found.cgroup());
            told.add(one);
            if (found.cgroup() != null) {
                groups.add(found.cgroup());
            }
        }
        sample.setProcesses(told);
        groups(target.totals(), groups, sample);
    }

    private void groups(Totals totals, Set<String> paths, GpuSample sample) {
        totals.keepOnly(CPU, paths);
        totals.keepOnly(THROTTLED, paths);
        boolean isFirst = true;
        for (String path : paths) {
            ControlGroup group = groupsSeen.computeIfAbsent(path, known -> ControlGroup.read(host, known));
            sample.setCgroupMemoryBytes(sum(sample.getCgroupMemoryBytes(), group.memoryBytes()));
            sample.setCgroupMemoryLimitBytes(
                    limit(isFirst, sample.getCgroupMemoryLimitBytes(), group.memoryLimitBytes()));
            sample.setCgroupCpuLimitPpm(limit(isFirst, sample.getCgroupCpuLimitPpm(), group.cpuLimitPpm()));
            if (group.cpuMicros() != null) {
                sample.setCgroupCpuTotalMicros(totals.grow(CPU, path, group.cpuMicros()));
            }
            if (group.throttledMicros() != null) {
                sample.setCgroupThrottledTotalMicros(totals.grow(THROTTLED, path, group.throttledMicros()));
            }
            isFirst = false;
        }
    }

    private @Nullable Long proportionalBytes(int pid, GpuSample sample) {
        long now = nanoTime.getAsLong();
        Proportional known = proportional.get(pid);
        if (mayRead && (known == null || now - known.atNanos() >= TimeUnit.SECONDS.toNanos(PROPORTIONAL_SECONDS))) {
            mayRead = false;
            known = new Proportional(HostProcess.proportionalBytes(host, pid), nanoTime.getAsLong());
            proportional.put(pid, known);
        }
        if (known == null || known.bytes() == null) {
            return null;
        }
        // One age stands for the field of all processes: the greatest.
        long ageMicros = Math.max(0, now - known.atNanos()) / 1_000;
        if (ageMicros > 0) {
            sample.getAgesMicros().merge(PROPORTIONAL, ageMicros, Math::max);
        }
        return known.bytes();
    }

    private static @Nullable Long sum(@Nullable Long a, @Nullable Long b) {
        return a == null ? b : b == null ? a : Long.valueOf(a + b);
    }

    /** A group without a limit leaves the whole without one. */
    private static @Nullable Long limit(boolean isFirst, @Nullable Long before, @Nullable Long own) {
        return isFirst ? own : before == null || own == null ? null : Long.valueOf(before + own);
    }
}
