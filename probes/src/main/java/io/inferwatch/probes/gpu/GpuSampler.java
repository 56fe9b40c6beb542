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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
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
    private static final long CLOCK_STEP_MICROS = 1_000_000;
    private static final String ORIGIN = "nvml";

    private final GpuSettings settings;
    private final LongSupplier nanoTime;
    private final InstantSource clock;
    private final GpuCounters counters;
    private final DeviceReader reader;
    private final ProcessReader processes;
    private final Backoff backoff;
    private final Map<String, GpuDevice> devices = new TreeMap<>();
    private final Map<Integer, String> uuids = new HashMap<>();
    private @Nullable Nvml nvml;
    private @Nullable String driver;
    private int count = -1;
    private volatile Optional<String> obstacle = Optional.empty();
    private @Nullable Long clockLeadMicros;
    private boolean clockStepped;

    GpuSampler(GpuSettings settings, LongSupplier nanoTime, InstantSource clock, GpuCounters counters) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.clock = clock;
        this.counters = counters;
        this.reader = new DeviceReader(counters, nanoTime);
        this.processes = new ProcessReader(settings.host(), nanoTime);
        this.backoff = new Backoff(nanoTime, FIRST_PAUSE);
    }

    /**
     * Initialises NVML. Where it is there and does not work at present, the rounds will try again.
     *
     * @throws NvmlException when there is none
     */
    void start() throws NvmlException {
        try {
            open();
        } catch (NvmlException e) {
            if (e.isAbsent()) {
                throw e;
            }
            down(e.getMessage());
        }
    }

    /** Why NVML as a whole does not answer; empty while it does. */
    Optional<String> obstacle() {
        return obstacle;
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
        noteClock();
        List<GpuSample> samples = new ArrayList<>();
        Nvml open = isOpen() ? nvml : null;
        if (open != null) {
            readAll(open, samples);
        }
        counters.devices(devices.values().stream().map(GpuDevice::state).toList());
        counters.sampled(samples.size());
        return samples;
    }

    @Override
    public void close() {
        devices.values().forEach(GpuDevice::released);
        if (nvml != null) {
            nvml.close();
            nvml = null;
        }
    }

    private @Nullable Target target(GpuSample sample) {
        GpuDevice device = devices.get(sample.getGpu());
        return device == null ? null : device.target(sample.getMigId());
    }

    private boolean isOpen() {
        if (nvml == null && backoff.isDue()) {
            try {
                open();
            } catch (NvmlException e) {
                down(e.getMessage());
            }
        }
        return nvml != null;
    }

    private void open() throws NvmlException {
        counters.opened();
        Nvml opened = Nvml.open(settings.library());
        driver = opened.driverVersion() instanceof Answer.Value<String> version ? version.value() : null;
        count = -1;
        nvml = opened;
    }

    private void readAll(Nvml open, List<GpuSample> samples) {
        Answer<Integer> present = open.deviceCount();
        if (!(present instanceof Answer.Value<Integer> number)) {
            unreadable(present.status(), samples);
            return;
        }
        if (number.value() != count) {
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
            up();
        } else if (failure != NvmlStatus.SUCCESS) {
            unreadable(failure, samples);
        }
    }

    /** Gets the handles of all devices; those that were there and are no longer are lost. */
    private void find(Nvml open, int number, List<GpuSample> samples) {
        count = number;
        List<GpuDevice> found = new ArrayList<>();
        for (int index = 0; index < number; index++) {
            Answer<NvmlDevice> handle = open.device(index);
            Answer<String> uuid = handle instanceof Answer.Value<NvmlDevice> given
                    ? given.value().uuid()
                    : new Answer.Refused<>(handle.status());
            if (handle instanceof Answer.Value<NvmlDevice> given && uuid instanceof Answer.Value<String> name) {
                GpuDevice device =
                        devices.computeIfAbsent(name.value(), id -> new GpuDevice(id, settings.host(), nanoTime));
                device.released();
                device.found(index, given.value(), open.watchXids(given.value()) == NvmlStatus.SUCCESS);
                uuids.put(index, name.value());
                found.add(device);
            } else if (!uuids.containsKey(index)) {
                LOG.warn(
                        "GPU {} cannot be read and its UUID is not known: {}",
                        index,
                        uuid.status().describe());
            }
        }
        for (GpuDevice device : devices.values()) {
            if (!found.contains(device)) {
                gone(device, NvmlStatus.GPU_IS_LOST, samples);
            }
        }
        LOG.info("{} of {} GPUs found, driver {}", found.size(), number, driver);
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
        GpuSample sample = blank(device, target.identity());
        sample.setOrigin(ORIGIN);
        sample.setNumaNode(target.place().numaNode());
        sample.setCpuAffinity(
                target.place().cpus() == null ? null : target.place().cpus().toString());
        reader.read(target, sample);
        processes(target, isSplit && target.isWhole(), sample);
        if (target.isWhole()) {
            sample.setXid(device.takeXid());
            sample.setXidEventsTotal(device.xidEvents());
        }
        sample.setSampledAtMicros(nowMicros());
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
            GpuSample sample = blank(
                    device,
                    known == null
                            ? new Identity(device.uuid(), null, null, device.index(), null, null)
                            : known.identity());
            sample.setState(state);
            sample.setOrigin(ORIGIN);
            sample.setSampledAtMicros(nowMicros());
            samples.add(sample);
            LOG.warn("GPU {} ({}) is {}: {}", device.index(), device.uuid(), state, status.describe());
        }
        device.released();
    }

    private void unreadable(NvmlStatus status, List<GpuSample> samples) {
        devices.values().forEach(device -> gone(device, status, samples));
        close();
        down(
                status == NvmlStatus.LIB_RM_VERSION_MISMATCH
                        ? "NVML: driver/library mismatch, restart needed"
                        : "NVML does not answer any more: " + status.describe());
    }

    /** Said once: trying again and again says nothing new. */
    private void down(@Nullable String reason) {
        String text = String.valueOf(reason);
        if (obstacle.isEmpty()) {
            LOG.warn("{}; trying again", text);
        }
        obstacle = Optional.of(text);
        backoff.failed();
    }

    private void up() {
        if (obstacle.isPresent()) {
            LOG.info("NVML answers again");
            obstacle = Optional.empty();
        }
        backoff.succeeded();
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

    private GpuSample blank(GpuDevice device, Identity identity) {
        GpuSample sample = new GpuSample();
        sample.setGpu(device.uuid());
        sample.setMigId(identity.migId());
        sample.setIndex(device.index());
        sample.setName(identity.name());
        sample.setState(GpuState.OK);
        sample.setDriver(driver);
        sample.setIntervalMicros(settings.interval().toNanos() / 1_000);
        sample.setMarks(new ArrayList<>(clockStepped ? List.of("clock-stepped") : List.of()));
        sample.setAgesMicros(new HashMap<>());
        sample.setThrottleReasons(List.of());
        sample.setProcesses(List.of());
        settings.owners().fill(sample);
        return sample;
    }

    /** Whether the host's clock was set since the round before: times jump then, and intervals between samples are not what they seem. */
    private void noteClock() {
        long lead = nowMicros() - nanoTime.getAsLong() / 1_000;
        clockStepped = clockLeadMicros != null && Math.abs(lead - clockLeadMicros) > CLOCK_STEP_MICROS;
        clockLeadMicros = lead;
    }

    private long nowMicros() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
