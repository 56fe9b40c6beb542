package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.Target.Identity;
import io.inferwatch.probes.gpu.host.CpuSet;
import io.inferwatch.probes.gpu.host.DevicePlace;
import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.gpu.nvml.Answer;
import io.inferwatch.probes.gpu.nvml.NvmlDevice;
import io.inferwatch.probes.gpu.nvml.NvmlGpm;
import io.inferwatch.schemas.GpuState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One device of the host over the life of the probe, whatever becomes of it and of NVML: its state, its totals, and, while it answers, what there is of it to read: itself
 * and its MIG instances.
 */
final class GpuDevice {
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private final String uuid;
    private final HostFiles host;
    private final LongSupplier nanoTime;
    private final Backoff backoff;
    private final Map<String, Totals> totals = new HashMap<>();
    private final Map<String, Target> instances = new HashMap<>();
    private int index;
    private @Nullable Target whole;
    private GpuState state = GpuState.OK;
    private boolean countsXids;
    private long xidEvents;
    private @Nullable Long lastXid;

    GpuDevice(String uuid, HostFiles host, LongSupplier nanoTime) {
        this.uuid = uuid;
        this.host = host;
        this.nanoTime = nanoTime;
        this.backoff = new Backoff(nanoTime, FIRST_PAUSE);
    }

    String uuid() {
        return uuid;
    }

    int index() {
        return index;
    }

    GpuState state() {
        return state;
    }

    @Nullable
    Target whole() {
        return whole;
    }

    /** What was last read as the device (null) or as an instance; null while that does not answer. */
    @Nullable
    Target target(@Nullable String migId) {
        return migId == null ? whole : instances.get(migId);
    }

    /** Whether a device that did not answer may be asked again. */
    boolean isDue() {
        return state == GpuState.OK || backoff.isDue();
    }

    /** It can be read, from now on by this handle. */
    void found(int number, NvmlDevice device, boolean xidsAreWatched) {
        index = number;
        countsXids = xidsAreWatched;
        String pciBusId = value(device.pciBusId());
        DevicePlace place = pciBusId == null ? DevicePlace.UNKNOWN : DevicePlace.of(host, pciBusId);
        if (place.cpus() == null && device.cpuAffinity() instanceof Answer.Value<BitSet> cpus) {
            place = place.orCpus(Optional.of(new CpuSet(cpus.value())));
        }
        Identity identity = new Identity(uuid, null, null, number, value(device.name()), pciBusId);
        whole = target(device, device.gpm(null), identity, place);
    }

    /** It answered. */
    void answered() {
        state = GpuState.OK;
        backoff.succeeded();
    }

    /** It does not answer. True the first time, which is worth telling. */
    boolean gone(GpuState now) {
        boolean isNews = state != now;
        state = now;
        backoff.failed();
        return isNews;
    }

    /** What there is to read now: the whole, then its MIG instances as they are at present. */
    List<Target> targets() {
        Target device = whole;
        if (device == null) {
            return List.of();
        }
        List<Target> all = new ArrayList<>(List.of(device));
        Map<String, Target> present = new HashMap<>();
        for (NvmlDevice instance : device.device().migInstances()) {
            String migId = value(instance.uuid());
            if (migId != null) {
                Target known = instances.remove(migId);
                present.put(migId, known == null ? instance(instance, migId, device) : known);
            }
        }
        instances.values().forEach(Target::release);
        instances.clear();
        instances.putAll(present);
        all.addAll(present.values());
        return all;
    }

    /** The session of NVML ends, or the handle is of no more use. */
    void released() {
        if (whole != null) {
            whole.release();
        }
        whole = null;
        instances.values().forEach(Target::release);
        instances.clear();
    }

    void xid(long code) {
        xidEvents++;
        lastXid = code;
    }

    /** The last Xid since this was asked; null for none. */
    @Nullable
    Long takeXid() {
        Long taken = lastXid;
        lastXid = null;
        return taken;
    }

    @Nullable
    Long xidEvents() {
        return countsXids ? Long.valueOf(xidEvents) : null;
    }

    private Target instance(NvmlDevice instance, String migId, Target device) {
        Identity identity = new Identity(
                uuid,
                migId,
                value(instance.gpuInstanceId()),
                index,
                value(instance.name()),
                device.identity().pciBusId());
        // An instance's counters are asked of its device.
        Integer gpuInstanceId = identity.gpuInstanceId();
        Optional<NvmlGpm> gpm =
                gpuInstanceId == null ? Optional.empty() : device.device().gpm(gpuInstanceId);
        return target(instance, gpm, identity, device.place());
    }

    private Target target(NvmlDevice device, Optional<NvmlGpm> gpm, Identity identity, DevicePlace place) {
        String id = identity.migId() == null ? uuid : identity.migId();
        return new Target(
                identity, device, gpm, place, totals.computeIfAbsent(id, name -> new Totals()), nanoTime.getAsLong());
    }

    private static <T> @Nullable T value(Answer<T> answer) {
        return answer instanceof Answer.Value<T> given ? given.value() : null;
    }
}
