package io.inferwatch.probes.load;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.schedule.OverSaturation;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at a run every second, tells how it goes, and stops it when its conditions say so. */
final class LoadMonitor implements AutoCloseable {
    private static final long LEAST_ENDED = 100;

    private final LoadRun run;
    private final RunRecorder recorder;
    private final Conditions conditions;
    private final OverSaturation saturation;
    private final Consumer<String> progress;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "inferwatch-load-monitor");
        thread.setDaemon(true);
        return thread;
    });
    private long sentBefore;

    /**
     * What ends a run early.
     *
     * @param maxErrorRatio share of failed requests; null for any
     * @param stopOverSaturated whether to stop when the server no longer keeps up
     * @param tolerableTtftSeconds TTFT up to which that is not so
     * @param steps the circuit breaker; empty without
     */
    record Conditions(
            @Nullable Double maxErrorRatio,
            boolean stopOverSaturated,
            double tolerableTtftSeconds,
            Optional<StepWatch> steps) {}

    private LoadMonitor(LoadRun run, RunRecorder recorder, Conditions conditions, Consumer<String> progress) {
        this.run = run;
        this.recorder = recorder;
        this.conditions = conditions;
        this.saturation = new OverSaturation(conditions.tolerableTtftSeconds());
        this.progress = progress;
    }

    /** Begins to look; the consumer gets a line every second. */
    static LoadMonitor start(LoadRun run, RunRecorder recorder, Conditions conditions, Consumer<String> progress) {
        LoadMonitor monitor = new LoadMonitor(run, recorder, conditions, progress);
        var unused = monitor.clock.scheduleAtFixedRate(monitor::look, 1, 1, TimeUnit.SECONDS);
        return monitor;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    private void look() {
        RunRecorder.Recent recent = recorder.nextSecond();
        LoadRun.Counts counts = run.counts();
        long sentNow = counts.sent() - sentBefore;
        sentBefore = counts.sent();
        progress.accept(line(sentNow, counts, recent, recorder.failed()));
        saturation.second(counts.open(), recent.ttftSeconds());
        if (conditions.stopOverSaturated() && saturation.isReached()) {
            run.stop(
                    "the server no longer keeps up: requests in flight and TTFT rise, and half of the requests waited longer than "
                            + conditions.tolerableTtftSeconds() + " s");
        }
        Double limit = conditions.maxErrorRatio();
        if (limit != null && counts.ended() >= LEAST_ENDED && recorder.failed() > limit * counts.ended()) {
            run.stop("%d of %d requests failed".formatted(recorder.failed(), counts.ended()));
        }
        conditions.steps().ifPresent(steps -> {
            if (steps.isTripped(run.clock().atMicros(System.nanoTime()))) {
                run.stop("circuit breaker: P99 is above its limit");
            }
        });
    }

    static String line(long sentPerSecond, LoadRun.Counts counts, RunRecorder.Recent recent, long failed) {
        return String.format(
                Locale.ROOT,
                "%,d sent (%,d/s), %,d in flight, TTFT p50 %s p99 %s, %,d failed, lag p99 %s",
                counts.sent(),
                sentPerSecond,
                counts.open(),
                millis(recent.ttftMicros(), 0.5),
                millis(recent.ttftMicros(), 0.99),
                failed,
                millis(recent.lagMicros(), 0.99));
    }

    private static String millis(QuantileSketch micros, double share) {
        return micros.n() == 0 ? "-" : String.format(Locale.ROOT, "%.1f ms", micros.quantile(share) / 1e3);
    }
}
