package io.inferwatch.jobs.device;

import io.inferwatch.analytics.placement.Near;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.GpuProcess;
import io.inferwatch.schemas.GpuSample;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a device sits, and where its processes may run, as a sample tells it.
 *
 * @param near where the device is near; empty where the sample does not tell, or tells what is no list of processors
 * @param process the first that is far, else the first; null without processes
 * @param far processes none of whose processors is near the device
 */
record Placement(
        GpuSample sample, Optional<Near> near, @Nullable GpuProcess process, long far) {

    /** What is said of it. */
    enum Placed {
        /** Every process may run near the device. */
        NEAR,
        /** One may not. */
        FAR,
        /** Nobody knows where the device or its processes are, or there are none. */
        UNKNOWN
    }

    static Placement of(GpuSample sample) {
        List<GpuProcess> processes = sample.getProcesses();
        List<GpuProcess> far = processes.stream()
                .filter(process -> Boolean.TRUE.equals(process.getFarFromDevice()))
                .toList();
        GpuProcess told = far.isEmpty() ? (processes.isEmpty() ? null : processes.get(0)) : far.get(0);
        return new Placement(sample, near(sample), told, far.size());
    }

    private static Optional<Near> near(GpuSample sample) {
        String cpus = sample.getCpuAffinity();
        try {
            return cpus == null ? Optional.empty() : Optional.of(new Near(cpus, sample.getNumaNode()));
        } catch (IllegalArgumentException e) {
            // It goes into a command that a person pastes: what is no list is as good as not told.
            return Optional.empty();
        }
    }

    /** Whether the sample says anything of it. */
    boolean isTold() {
        return near.isPresent()
                || sample.getNumaNode() != null
                || !sample.getProcesses().isEmpty();
    }

    Placed placed() {
        if (near.isPresent() && far > 0) {
            return Placed.FAR;
        }
        boolean isTold = !sample.getProcesses().isEmpty()
                && sample.getProcesses().stream().allMatch(process -> process.getFarFromDevice() != null);
        return near.isPresent() && isTold ? Placed.NEAR : Placed.UNKNOWN;
    }

    /** The command that brings the far process near. */
    Optional<String> command() {
        return placed() == Placed.FAR && process != null
                ? near.map(place -> place.bind(process.getPid()))
                : Optional.empty();
    }

    /** What to start it with, so that its memory is near too. */
    Optional<String> start() {
        return near.flatMap(Near::start);
    }

    /** Name and number of the process. */
    Optional<String> processText() {
        return Optional.ofNullable(process)
                .map(one -> one.getName() == null ? "" + one.getPid() : one.getName() + " (" + one.getPid() + ")");
    }

    Optional<String> actualCpus() {
        return Optional.ofNullable(process).map(GpuProcess::getCpusAllowed);
    }

    MinuteFigures figures(boolean isMisplaced) {
        return new MinuteFigures(Measurement.PLACEMENT, DeviceFunction.VIEW)
                .text(Field.PLACED, placed().name().toLowerCase(Locale.ROOT))
                .count(Field.DEVICE_INDEX, sample.getIndex())
                .count(Field.NUMA_NODE, sample.getNumaNode())
                .count(Field.PROCESSES, sample.getProcesses().size())
                .count(Field.FAR_PROCESSES, far)
                .count(Field.MISPLACED, isMisplaced ? 1 : 0)
                .text(Field.RECOMMENDED_CPUS, near.map(Near::cpus).orElse(null))
                .text(Field.ACTUAL_CPUS, actualCpus().orElse(null))
                .text(Field.PROCESS, processText().orElse(null))
                .text(Field.COMMAND, command().orElse(null))
                .text(Field.START, start().orElse(null));
    }
}
