package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.Target.Identity;
import io.inferwatch.probes.gpu.nvml.Answer;
import io.inferwatch.probes.gpu.nvml.Nvml;
import io.inferwatch.probes.gpu.nvml.NvmlDevice;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all devices of this host, round by round: a sample of each device and MIG instance that answers, and one of each that ceases to, LOST or UNREADABLE, when it does.
 * What does not answer is asked again after pauses that grow from ten seconds to five minutes, so that it does not hold the others up; what it said before is not repeated.
 * When NVML as a whole answers no more, which is what a container sees whose devices were taken away, or a process whose driver was exchanged, it is loaded and
 * initialised anew, with pauses that grow likewise. Totals go on through all that. For one thread.
 */
final class GpuSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSampler.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private final GpuSettings settings;
    private final LongSupplier nanoTime;
    private final BlankSamples blanks;
    private final GpuCounters counters;
    private final DeviceReader reader;
    private final ProcessReader processes;
    private final NvmlSession session;
    private final Backoff search;
    private final Map<String, GpuDevice> devices = new TreeMap<>();
    private @Nullable Nvml known;
    private int count = -1;
    private int unidentified;

    GpuSampler(GpuSettings settings, LongSupplier nanoTime, InstantSource clock, GpuCounters counters) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.blanks = new BlankSamples(settings, nanoTime, clock);
        this.counters = counters;
        this.reader = new DeviceReader(counters, nanoTime);
        this.processes = new ProcessReader(settings.host(), nanoTime);
        this.session = new NvmlSession(settings.library(), nanoTime, counters);
        this.search = new Backoff(nanoTime, FIRST_PAUSE);
    }

    /**
     * Initialises NVML. Where it is there and does not work at present, the rounds will try again.
     *
     * @throws NvmlException when there is none
     */
    void start() throws NvmlException {
        session.start();
    }

    /** Why NVML as a whole does not answer; empty while it does. */
    Optional<String> obstacle() {
        return session.obstacle();
    }

    /** What is read of the device as a whole; null while it does not answer. */
    @Nullable
    Target whole(String uuid) {
        GpuDevice device = devices.get(uuid);
        return device == null ? null : device.whole();
    }

    /** What the device or instance of a sample lacks. */
    Map<GpuField, NvmlStatus> lacking(GpuSample sample) {
        Target target = target(sample);
        return target == null ? Map.of() : target.capabilities().lacking();
    }

    /** The number of a sample's MIG instance; null for a whole device. */
    @Nullable
    Integer gpuInstanceId(GpuSample sample) {
        Target target = target(sample);
        return target == null ? null : target.identity().gpuInstanceId();
    }

    /** The samples of one round. */
    List<GpuSample> round() {
        blanks.beginRound();
        List<GpuSample> samples = new ArrayList<>();
        Nvml open = session.nvml();
        if (open != null) {
            if (open != known) {
                known = open;
                count = -1;
                blanks.driver(open.driverVersion() instanceof Answer.Value<String> version ? version.value() : null);
            }
            readAll(open, samples);
        }
        counters.devices(states());
        counters.sampled(samples.size());
        return samples;
    }

    /** The states of all devices; those whose UUID is not known, for they could never be read, are lost. */
    List<GpuState> states() {
        List<GpuState> states = new ArrayList<>(Collections.nCopies(unidentified, GpuState.LOST));
        devices.values().forEach(device -> states.add(device.state()));
        return states;
    }

    @Override
    public void close() {
        devices.values().forEach(GpuDevice::released);
        session.close();
    }

    private @Nullable Target target(GpuSample sample) {
        GpuDevice device = devices.get(sample.getGpu());
        return device == null ? null : device.target(sample.getMigId());
    }

    private void readAll(Nvml open, List<GpuSample> samples) {
        Answer<Integer> present = open.deviceCount();
        if (!(present instanceof Answer.Value<Integer> number)) {
            unreadable(present.status(), samples);
            return;
        }
        if (number.value() != count || (unidentified > 0 && search.isDue())) {
            find(open, number.value(), samples);
        }
        for (Nvml.Xid xid : open.takeXids()) {
            counters.xid();
            GpuDevice device = devices.get(xid.gpu());
            if (device != null) {
                device.xid(xid.code());
            }
        }
        processes.beginRound();
        NvmlStatus failure = NvmlStatus.SUCCESS;
        int answering = 0;
        for (GpuDevice device : devices.values()) {
            NvmlStatus status = device.isDue() ? read(open, device, samples) : NvmlStatus.GPU_IS_LOST;
            answering += status == NvmlStatus.SUCCESS ? 1 : 0;
            failure = status == NvmlStatus.SUCCESS || status.isDeviceGone() ? failure : status;
        }
        if (answering > 0) {
            session.answered();
        } else if (failure != NvmlStatus.SUCCESS) {
            unreadable(failure, samples);
        }
    }

    /** Gets the handles of all devices; those that were there and are no longer are lost. */
    private void find(Nvml open, int number, List<GpuSample> samples) {
        boolean isNews = number != count;
        count = number;
        unidentified = 0;
        Set<GpuDevice> found = new HashSet<>();
        for (int index = 0; index < number; index++) {
            Answer<NvmlDevice> handle = open.device(index);
            Answer<String> uuid = handle instanceof Answer.Value<NvmlDevice> given
                    ? given.value().uuid()
                    : new Answer.Refused<>(handle.status());
            if (handle instanceof Answer.Value<NvmlDevice> given && uuid instanceof Answer.Value<String> name) {
                GpuDevice device =
                        devices.computeIfAbsent(name.value(), id -> new GpuDevice(id, settings.host(), nanoTime));
                if (device.whole() == null || device.index() != index) {
                    device.released();
                    device.found(index, given.value(), open.watchXids(given.value()) == NvmlStatus.SUCCESS);
                }
                found.add(device);
            } else if (devices.values().stream().noneMatch(isOf(index))) {
                unidentified++;
                if (isNews) {
                    LOG.warn(
                            "GPU {} cannot be read, nor its UUID: {}",
                            index,
                            uuid.status().describe());
                }
            }
        }
        devices.values().stream()
                .filter(device -> !found.contains(device))
                .forEach(device -> gone(device, NvmlStatus.GPU_IS_LOST, samples));
        if (isNews) {
            search.succeeded();
            LOG.info("{} of {} GPUs found", found.size(), number);
        }
        search.failed();
    }

    private NvmlStatus read(Nvml open, GpuDevice device, List<GpuSample> samples) {
        if (device.whole() == null && !findAgain(open, device)) {
            gone(device, NvmlStatus.GPU_IS_LOST, samples);
            return NvmlStatus.GPU_IS_LOST;
        }
        List<GpuSample> told = new ArrayList<>();
        List<Target> targets = device.targets();
        for (Target target : targets) {
            try {
                told.add(sample(device, target, targets.size() > 1));
            } catch (DeviceGoneException e) {
                if (target.isWhole() || e.status().isDeviceGone()) {
                    gone(device, e.status(), samples);
                    return e.status();
                }
                LOG.debug(
                        "MIG instance {} went while it was read",
                        target.identity().migId());
            }
        }
        samples.addAll(told);
        device.answered();
        return NvmlStatus.SUCCESS;
    }

    private GpuSample sample(GpuDevice device, Target target, boolean isSplit) throws DeviceGoneException {
        GpuSample sample = blanks.of(device, target.identity());
        sample.setNumaNode(target.place().numaNode());
        sample.setCpuAffinity(
                target.place().cpus() == null ? null : target.place().cpus().toString());
        reader.read(target, sample);
        processes(target, isSplit && target.isWhole(), sample);
        if (target.isWhole()) {
            sample.setXid(device.takeXid());
            sample.setXidEventsTotal(device.xidEvents());
        }
        blanks.stamp(sample);
        report(target);
        return sample;
    }

    private boolean findAgain(Nvml open, GpuDevice device) {
        if (open.device(device.index()) instanceof Answer.Value<NvmlDevice> handle
                && handle.value().uuid() instanceof Answer.Value<String> uuid
                && uuid.value().equals(device.uuid())) {
            device.found(device.index(), handle.value(), open.watchXids(handle.value()) == NvmlStatus.SUCCESS);
            return true;
        }
        return false;
    }

    /** A device that is split has its processes told with its instances. */
    private void processes(Target target, boolean isToldElsewhere, GpuSample sample) throws DeviceGoneException {
        if (isToldElsewhere) {
            return;
        }
        List<NvmlDevice.ComputeProcess> found = new Reading(sample, target.capabilities(), counters)
                .take(GpuField.PROCESSES, target.device().computeProcesses());
        if (found != null) {
            processes.read(target, found, sample);
        }
    }

    private void gone(GpuDevice device, NvmlStatus status, List<GpuSample> samples) {
        GpuState state = status.isDeviceGone() ? GpuState.LOST : GpuState.UNREADABLE;
        Target known = device.whole();
        if (device.gone(state)) {
            GpuSample sample = blanks.of(
                    device,
                    known == null
                            ? new Identity(device.uuid(), null, null, device.index(), null, null)
                            : known.identity());
            sample.setState(state);
            blanks.stamp(sample);
            samples.add(sample);
            LOG.warn("GPU {} ({}) is {}: {}", device.index(), device.uuid(), state, status.describe());
        }
        device.released();
    }

    private void unreadable(NvmlStatus status, List<GpuSample> samples) {
        devices.values().forEach(device -> gone(device, status, samples));
        session.failed(status);
    }

    private static Predicate<GpuDevice> isOf(int index) {
        return device -> device.index() == index;
    }

    private static void report(Target target) {
        String lacking = target.capabilities().takeReport();
        if (!lacking.isEmpty()) {
            LOG.info(
                    "GPU {} {} lacks these readings, their fields are empty: {}",
                    target.identity().index(),
                    target.isWhole()
                            ? target.identity().gpu()
                            : target.identity().migId(),
                    lacking);
        }
    }
}
