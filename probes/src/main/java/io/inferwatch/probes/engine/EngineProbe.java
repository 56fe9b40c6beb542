package io.inferwatch.probes.engine;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.EngineSample;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes all targets, each at its own interval, and publishes what they tell. One thread reads the pages; it never waits for a target, so that none can delay
 * another. Targets are looked for again and again on a second thread; while a source of targets does not answer, what it said last goes on. A part of any
 * probe's process, or a command of its own; the publisher stays open.
 */
public final class EngineProbe implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineProbe.class);
    private static final int MAX_TARGETS = 4_000;

    private final EngineSettings settings;
    private final EventPublisher publisher;
    private final Consumer<EngineSample> listener;
    private final SeriesIndex index;
    private final PageClient client;
    private final Map<String, TargetScrape> scrapes = new ConcurrentHashMap<>();
    private final Map<TargetSource, List<Target>> found = new LinkedHashMap<>();
    private final Map<String, AtomicLong> sourceFailures = new ConcurrentHashMap<>();
    private final AtomicLong refusedTargets = new AtomicLong();
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "inferwatch-engine-targets");
        thread.setDaemon(true);
        return thread;
    });
    private volatile Map<String, ReplicaIdentity> owners = Map.of();

    private EngineProbe(EngineSettings settings, EventPublisher publisher, Consumer<EngineSample> listener) {
        this.settings = settings;
        this.publisher = publisher;
        this.listener = listener;
        index = new SeriesIndex(settings.mappings());
        client = new PageClient(settings.scrape());
    }

    /**
     * Scrapes from now on.
     *
     * @param listener sees every sample of an engine that is published
     */
    public static EngineProbe start(
            EngineSettings settings,
            EventPublisher publisher,
            PrometheusRegistry registry,
            Consumer<EngineSample> listener) {
        EngineProbe probe = new EngineProbe(settings, publisher, listener);
        registry.register(new EngineMetrics(probe));
        for (TargetSource source : settings.sources()) {
            probe.sourceFailures.put(source.name(), new AtomicLong());
            var unused = probe.looking.scheduleWithFixedDelay(
                    () -> probe.look(source), 0, source.every().toMillis(), TimeUnit.MILLISECONDS);
        }
        return probe;
    }

    /** How every target is doing. */
    List<TargetStatus> statuses() {
        return scrapes.values().stream()
                .filter(TargetScrape::isActive)
                .map(TargetScrape::status)
                .toList();
    }

    /** How often each source of targets failed. */
    Map<String, AtomicLong> sourceFailures() {
        return sourceFailures;
    }

    /** Targets beyond the limit, at each look. */
    long refusedTargets() {
        return refusedTargets.get();
    }

    @Override
    public void close() {
        looking.shutdownNow();
        scrapes.values().forEach(TargetScrape::stop);
        client.close();
    }

    private void look(TargetSource source) {
        try {
            List<Target> targets = source.targets();
            found.put(source, targets);
            Map<String, Target> wanted = new LinkedHashMap<>();
            found.values().forEach(list -> list.forEach(target -> wanted.putIfAbsent(target.replica(), target)));
            settle(wanted);
        } catch (TargetSourceException e) {
            count(source);
            LOG.warn("{}: {}; its last targets stay", source.name(), e.getMessage());
        } catch (RuntimeException e) {
            // One failure must not end all later looks.
            count(source);
            LOG.warn("{}: failed; its last targets stay", source.name(), e);
        }
    }

    private void count(TargetSource source) {
        AtomicLong failures = sourceFailures.get(source.name());
        if (failures != null) {
            failures.incrementAndGet();
        }
    }

    /** A replica that is gone keeps what was counted, since it may come back, elsewhere. */
    private void settle(Map<String, Target> wanted) {
        scrapes.forEach((replica, scrape) -> {
            Target target = wanted.get(replica);
            if (scrape.isActive() && !scrape.target().equals(target)) {
                scrape.stop();
            }
        });
        Map<String, ReplicaIdentity> gpus = new HashMap<>();
        wanted.forEach((replica, target) -> {
            target.identity().gpuUuids().forEach(uuid -> gpus.put(uuid, target.identity()));
            TargetScrape scrape = scrape(replica, target);
            if (scrape != null && !scrape.isActive()) {
                scrape.start(target);
            }
        });
        owners = gpus;
    }

    private @Nullable TargetScrape scrape(String replica, Target target) {
        TargetScrape known = scrapes.get(replica);
        if (known != null) {
            return known;
        }
        if (scrapes.size() >= MAX_TARGETS) {
            scrapes.values().removeIf(scrape -> !scrape.isActive());
        }
        if (scrapes.size() >= MAX_TARGETS) {
            refusedTargets.incrementAndGet();
            return null;
        }
        TargetScrape made = new TargetScrape(target, settings.scrape(), index, client, this::publish);
        scrapes.put(replica, made);
        return made;
    }

    private void publish(Target target, TargetReadings.Page page) {
        SampleSender.send(target, page, this::owner, publisher);
        EngineSample sample = page.engine();
        if (sample != null) {
            listener.accept(sample);
        }
    }

    /** Who runs on a GPU, or on one of its instances. */
    private @Nullable ReplicaIdentity owner(String uuid) {
        return owners.get(uuid);
    }
}
