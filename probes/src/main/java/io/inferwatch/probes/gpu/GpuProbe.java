package io.inferwatch.probes.gpu;

import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.probes.pods.PodResources;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Topic;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The GPU probe as a whole: reads all devices of the host at every interval and publishes a sample of each. A command of its own, or a part of another probe's process. One
 * thread reads, so that a driver that hangs holds up nothing but samples. Closing it stops the reading; the publisher stays open.
 */
public final class GpuProbe implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuProbe.class);
    private static final long STOP_SECONDS = 5;

    private final GpuSettings settings;
    private final EventPublisher publisher;
    private final Readiness readiness;
    private final GpuCounters counters;
    private final GpuSampler sampler;
    private final @Nullable CanaryTimer canary;
    private final @Nullable PodResources pods;
    private final ScheduledExecutorService timer;
    private long roundBeganAtNanos;

    private GpuProbe(
            GpuSettings settings,
            EventPublisher publisher,
            Readiness readiness,
            GpuCounters counters,
            GpuSampler sampler,
            @Nullable CanaryTimer canary,
            @Nullable PodResources pods) {
        this.settings = settings;
        this.publisher = publisher;
        this.readiness = readiness;
        this.counters = counters;
        this.sampler = sampler;
        this.canary = canary;
        this.pods = pods;
        this.roundBeganAtNanos = System.nanoTime() - settings.interval().toNanos();
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "inferwatch-gpu");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Reads from now on. It is ready while NVML answers.
     *
     * @throws NvmlException when this host has no NVML or no driver
     * @throws CudaUnavailableException when a canary is wanted and there is no CUDA
     */
    static GpuProbe start(
            GpuSettings settings, EventPublisher publisher, Readiness readiness, PrometheusRegistry registry)
            throws NvmlException, CudaUnavailableException {
        PodResources pods = settings.podResources()
                .map(socket -> PodResources.watch(socket, PodResources.EVERY))
                .orElse(null);
        try {
            return start(settings, publisher, readiness, registry, pods);
        } catch (NvmlException | CudaUnavailableException e) {
            if (pods != null) {
                pods.close();
            }
            throw e;
        }
    }

    private static GpuProbe start(
            GpuSettings settings,
            EventPublisher publisher,
            Readiness readiness,
            PrometheusRegistry registry,
            @Nullable PodResources pods)
            throws NvmlException, CudaUnavailableException {
        GpuCounters counters = new GpuCounters();
        GpuSampler sampler = new GpuSampler(
                pods == null ? settings : settings.with(pods), System::nanoTime, InstantSource.system(), counters);
        sampler.start();
        CanaryTimer canary;
        try {
            canary = settings.canary().isEmpty()
                    ? null
                    : new CanaryTimer(
                            CudaCanary.load(System::nanoTime), settings.canary().get(), counters, System::nanoTime);
        } catch (CudaUnavailableException e) {
            sampler.close();
            throw e;
        }
        registry.register(new GpuMetrics(counters, pods == null ? () -> 0 : pods::failures));
        GpuProbe probe = new GpuProbe(settings, publisher, readiness, counters, sampler, canary, pods);
        var unused = probe.timer.scheduleAtFixedRate(
                probe::round, 0, settings.interval().toNanos(), TimeUnit.NANOSECONDS);
        return probe;
    }

    /** Reads from now on, as a part of another probe that goes on without: where there is no NVML, or no CUDA for a canary, that is said once and nothing is read. */
    public static Optional<GpuProbe> startIfPresent(
            GpuSettings settings, EventPublisher publisher, PrometheusRegistry registry) {
        try {
            return Optional.of(start(settings, publisher, new Readiness(), registry));
        } catch (NvmlException | CudaUnavailableException e) {
            LOG.warn("{}", e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        if (pods != null) {
            pods.close();
        }
        if (canary != null) {
            canary.close();
        }
        try {
            if (timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                sampler.close();
            } else {
                LOG.warn("the driver still holds a call after {} s: NVML is left as it is", STOP_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round() {
        long now = System.nanoTime();
        // After a pause of the whole machine all missed rounds come at once: one of them is enough.
        if (now - roundBeganAtNanos < settings.interval().toNanos() / 2) {
            return;
        }
        roundBeganAtNanos = now;
        try {
            for (GpuSample sample : sampler.round()) {
                if (canary != null) {
                    canary.attend(sample, sampler.whole(sample.getGpu()));
                }
                // What is dropped is the publisher's to count.
                var unused = publisher.publish(Topic.GPU, sample.getGpu(), sample);
            }
            sampler.obstacle().ifPresentOrElse(readiness::unready, readiness::ready);
        } catch (RuntimeException | LinkageError e) {
            // One failure must not end all later rounds.
            LOG.warn("a round of readings failed", e);
        }
        if (System.nanoTime() - now > settings.interval().toNanos()) {
            counters.overrun();
        }
    }
}
