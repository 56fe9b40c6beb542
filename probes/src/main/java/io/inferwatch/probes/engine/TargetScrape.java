package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scrapes of one target, one after the other. A target that takes long is asked less often, and as often as before when it has become quick again; so is,
 * for its first scrape, one that has yet to be connected to. A failure is logged when it begins and when it ends.
 */
final class TargetScrape {
    private static final Logger LOG = LoggerFactory.getLogger(TargetScrape.class);
    private static final long GRID_PAGES = 100;
    private static final long PROFILING_HINT_MICROS = 300_000_000;

    private final ScrapeSettings settings;
    private final PageClient client;
    private final BiConsumer<Target, TargetReadings.Page> pages;
    private final TargetReadings readings;
    private final GridCheck grids;
    private final Map<ScrapeFailure, Long> failures = new EnumMap<>(ScrapeFailure.class);
    private final Set<String> hints = new HashSet<>();
    private @Nullable ScrapeFailure failing;
    private long intervalNanos;
    private long pageCount;
    private long lastPageNanos;
    private long backOffs;
    private long samples;
    private long unknown;
    private long unexpectedTypes;
    private boolean isWarm;
    private volatile Target target;
    private volatile TargetStatus status;
    private volatile boolean active;
    /** A scrape that was begun before a stop must not go on after the next start. */
    private final AtomicInteger run = new AtomicInteger();

    TargetScrape(
            Target target,
            ScrapeSettings settings,
            SeriesIndex index,
            PageClient client,
            BiConsumer<Target, TargetReadings.Page> pages) {
        this.target = target;
        this.settings = settings;
        this.client = client;
        this.pages = pages;
        readings = new TargetReadings(index, settings.maxSeries());
        grids = new GridCheck(index.table().finest());
        intervalNanos = settings.interval().toNanos();
        status = snapshot(0);
    }

    Target target() {
        return target;
    }

    TargetStatus status() {
        return status;
    }

    /**
     * Begins within the first interval, at a moment that is the target's own, so that many targets are not asked all at once. A target that moved goes on
     * with what was counted where it was before.
     */
    void start(Target at) {
        target = at;
        active = true;
        schedule(
                run.incrementAndGet(),
                new PageFetch(client, at),
                Math.floorMod(
                        (long) target.url().hashCode() * 0x9E3779B97F4A7C15L,
                        settings.interval().toNanos()));
    }

    void stop() {
        active = false;
        run.incrementAndGet();
    }

    boolean isActive() {
        return active;
    }

    private void schedule(int of, PageFetch fetch, long delayNanos) {
        try {
            var unused = client.loop().schedule(() -> scrape(of, fetch), delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed in the meantime.
            stop();
        }
    }

    private void scrape(int of, PageFetch fetch) {
        if (of != run.get()) {
            fetch.close();
            return;
        }
        long beganNanos = System.nanoTime();
        fetch.get(new PageFetch.Taker() {
            @Override
            public void page(PageBody body) {
                long tookNanos = System.nanoTime() - beganNanos;
                if (of == run.get()) {
                    try {
                        take(body, tookNanos);
                    } catch (ScrapeFailedException e) {
                        count(e);
                    } catch (RuntimeException e) {
                        // A page that cannot be understood must not end its target's scrapes.
                        LOG.warn("{}: a page could not be taken", target.replica(), e);
                    }
                }
                ended(tookNanos);
            }

            @Override
            public void failed(ScrapeFailedException failure) {
                if (of == run.get()) {
                    count(failure);
                }
                ended(System.nanoTime() - beganNanos);
            }

            private void ended(long tookNanos) {
                if (of == run.get()) {
                    adapt(tookNanos);
                    status = snapshot(tookNanos / 1_000);
                }
                schedule(of, fetch, Math.max(0, intervalNanos - (System.nanoTime() - beganNanos)));
            }
        });
    }

    private void take(PageBody body, long tookNanos) throws ScrapeFailedException {
        read(body, tookNanos);
        if (failing != null) {
            LOG.info("{}: answers again", target.replica());
            failing = null;
        }
    }

    private void count(ScrapeFailedException failure) {
        failures.merge(failure.failure(), 1L, Long::sum);
        if (failing != failure.failure()) {
            failing = failure.failure();
            LOG.warn("{}: no page from {}: {}", target.replica(), target.url(), failure.getMessage());
        }
    }

    private void read(PageBody body, long tookNanos) throws ScrapeFailedException {
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        TargetReadings.Page page;
        try {
            page = readings.read(body.text(), body.from(), body.to(), body.openMetrics(), atMicros);
        } catch (IncompletePageException e) {
            throw new ScrapeFailedException(ScrapeFailure.INCOMPLETE, String.valueOf(e.getMessage()));
        }
        if (page.samples() == 0) {
            throw new ScrapeFailedException(
                    ScrapeFailure.NO_SAMPLES, "nothing on the page is a sample of Prometheus' format");
        }
        if (body.isUnexpected()) {
            unexpectedTypes++;
        }
        pageCount++;
        lastPageNanos = System.nanoTime();
        samples = page.samples();
        unknown = page.unknown();
        EngineSample engine = page.engine();
        if (engine != null) {
            engine.setIntervalMicros(intervalNanos / 1_000);
            engine.setScrapeMicros(tookNanos / 1_000);
        }
        page.gpus().forEach(gpu -> gpu.setIntervalMicros(intervalNanos / 1_000));
        pages.accept(target, page);
        hint(page.gpus());
    }

    /** Says once what a person should know of this target. */
    private void hint(List<GpuSample> gpus) {
        if (pageCount % GRID_PAGES == 1) {
            readings.grids().forEach((signal, grid) -> {
                List<String> problems = grids.problems(signal, grid);
                if (!problems.isEmpty() && hints.add(signal)) {
                    LOG.warn("{}: histogram {}: {}", target.replica(), signal, String.join("; ", problems));
                }
            });
        }
        for (GpuSample gpu : gpus) {
            boolean isLong = gpu.getMarks().contains(Device.BLANK)
                    && gpu.getAgesMicros().values().stream().anyMatch(age -> age > PROFILING_HINT_MICROS);
            if (isLong && hints.add(gpu.getGpu())) {
                LOG.warn(
                        "{}: profiling of {} has been blank for 5 minutes: resume it with 'dcgmi profile --resume'",
                        target.replica(),
                        gpu.getGpu());
            }
        }
    }

    private void adapt(long tookNanos) {
        if (!isWarm) {
            isWarm = true;
            return;
        }
        long before = intervalNanos;
        if (tookNanos > settings.slow().toNanos()) {
            intervalNanos = Math.min(2 * intervalNanos, settings.maxInterval().toNanos());
            backOffs += intervalNanos > before ? 1 : 0;
        } else if (tookNanos < settings.slow().toNanos() / 2) {
            intervalNanos = Math.max(intervalNanos / 2, settings.interval().toNanos());
        }
        if (intervalNanos != before) {
            LOG.info(
                    "{}: a scrape took {} ms, the next one is in {}",
                    target.replica(),
                    tookNanos / 1_000_000,
                    Settings.write(Duration.ofNanos(intervalNanos)));
        }
    }

    private TargetStatus snapshot(long scrapeMicros) {
        return new TargetStatus(
                target.replica(),
                pageCount,
                lastPageNanos,
                scrapeMicros,
                intervalNanos / 1_000,
                backOffs,
                samples,
                unknown,
                unexpectedTypes,
                readings.otherGrids(),
                new EnumMap<>(failures),
                readings.rejections());
    }
}
