package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.Target.Identity;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Samples that say whose they are and when, and nothing yet of the device. A round whose host's clock was set since the round before is marked {@code clock-stepped}. */
final class BlankSamples {
    private static final String ORIGIN = "nvml";
    private static final long CLOCK_STEP_MICROS = 1_000_000;

    private final GpuSettings settings;
    private final LongSupplier nanoTime;
    private final InstantSource clock;
    private @Nullable String driver;
    private @Nullable Long clockLeadMicros;
    private boolean clockStepped;

    BlankSamples(GpuSettings settings, LongSupplier nanoTime, InstantSource clock) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.clock = clock;
    }

    void driver(@Nullable String version) {
        driver = version;
    }

    /** Compares the host's clock with the one that is never set: intervals between the times of samples are not what they seem when it was. */
    void beginRound() {
        long lead = nowMicros() - nanoTime.getAsLong() / 1_000;
        clockStepped = clockLeadMicros != null && Math.abs(lead - clockLeadMicros) > CLOCK_STEP_MICROS;
        clockLeadMicros = lead;
    }

    GpuSample of(GpuDevice device, Identity identity) {
        GpuSample sample = new GpuSample();
        sample.setGpu(device.uuid());
        sample.setMigId(identity.migId());
        sample.setIndex(device.index());
        sample.setName(identity.name());
        sample.setState(GpuState.OK);
        sample.setDriver(driver);
        sample.setOrigin(ORIGIN);
        sample.setIntervalMicros(settings.interval().toNanos() / 1_000);
        sample.setMarks(new ArrayList<>(clockStepped ? List.of("clock-stepped") : List.of()));
        sample.setAgesMicros(new HashMap<>());
        sample.setThrottleReasons(List.of());
        sample.setProcesses(List.of());
        settings.owners().fill(sample);
        return sample;
    }

    /** The reading is complete. */
    void stamp(GpuSample sample) {
        sample.setSampledAtMicros(nowMicros());
    }

    private long nowMicros() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
