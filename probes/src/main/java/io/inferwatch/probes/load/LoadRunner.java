package io.inferwatch.probes.load;

import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run from its self-test to its report: warm-up, then every iteration, each after the answers of the one before. */
final class LoadRunner {
    private final LoadSettings settings;
    private final LoadPlan plan;
    private final Optional<StepRule> rule;
    private final WorkloadOptions workload;
    private final LimitOptions limits;
    private final Map<String, String> options;
    private volatile @Nullable LoadRun running;
    private volatile @Nullable String stopReason;

    LoadRunner(
            LoadSettings settings,
            LoadPlan plan,
            Optional<StepRule> rule,
            WorkloadOptions workload,
            LimitOptions limits,
            Map<String, String> options) {
        this.settings = settings;
        this.plan = plan;
        this.rule = rule;
        this.workload = workload;
        this.limits = limits;
        this.options = Map.copyOf(options);
    }

    /**
     * Runs it.
     *
     * @param events get each request that counts, on event loops, and must not wait
     * @param progress gets a line every second
     */
    RunReport run(Consumer<RequestEvent> events, Consumer<String> progress) throws InterruptedException {
        SelfTest selfTest = SelfTest.run(settings, plan.ratePerSecond().orElse(0.0));
        long collectorMillis = Environment.collectorMillisSoFar();
        RunRecorder recorder = new RunRecorder(events);
        Relay relay = new Relay(recorder);
        try (LoadRun run = new LoadRun(settings, relay)) {
            running = run;
            String reason = stopReason;
            if (reason != null) {
                run.stop(reason);
            }
            return run(run, recorder, relay, selfTest, collectorMillis, progress);
        }
    }

    /** Sends no more; any thread may call it at any time. */
    void stop(String reason) {
        stopReason = reason;
        LoadRun present = running;
        if (present != null) {
            present.stop(reason);
        }
    }

    @SuppressWarnings("try") // the monitor looks by itself
    private RunReport run(
            LoadRun run,
            RunRecorder recorder,
            Relay relay,
            SelfTest selfTest,
            long collectorMillis,
            Consumer<String> progress)
            throws InterruptedException {
        if (workload.warmUp > 0) {
            Workload first = limited(plan.workload().apply(~workload.seed), workload.warmUp);
            run.run(RunRecorder.WARM_UP, first, plan.longest());
        }
        long beginAtMicros = run.clock().atMicros(System.nanoTime());
        relay.steps = rule.map(present -> new StepWatch(present, beginAtMicros));
        LoadMonitor.Conditions conditions = new LoadMonitor.Conditions(
                limits.maxErrorRatio, limits.stopOverSaturated, limits.tolerableTtft.toNanos() / 1e9, relay.steps);
        try (LoadMonitor unused = LoadMonitor.start(run, recorder, conditions, progress)) {
            for (int iteration = 1; iteration <= workload.iterations && run.stopReason() == null; iteration++) {
                run.run(iteration, plan.workload().apply(workload.seed + iteration - 1), plan.longest());
            }
        }
        List<FinishedRequest> requests = recorder.measured();
        return new RunReport(
                settings.run(),
                options,
                beginAtMicros,
                run.clock().atMicros(System.nanoTime()),
                selfTest,
                workload.iterations,
                recorder.warmUps(),
                run.counts().unsent(),
                run.stopReason(),
                limits.maxLag.toNanos() / 1_000,
                requests,
                verdicts(requests),
                Environment.since(collectorMillis));
    }

    /** A load without steps is one step. */
    private List<StepResult> verdicts(List<FinishedRequest> requests) {
        List<StepResult> verdicts = new ArrayList<>();
        rule.ifPresent(present -> {
            List<Double> rates =
                    plan.stepRates().isEmpty() ? List.of(plan.ratePerSecond().orElse(0.0)) : plan.stepRates();
            for (int i = 0; i < rates.size(); i++) {
                int step = i;
                boolean isOnly = rates.size() == 1;
                List<FinishedRequest> own = requests.stream()
                        .filter(request -> isOnly || request.planned().step() == step)
                        .toList();
                verdicts.add(StepResult.of(i + 1, rates.get(i), own, present));
            }
        });
        return verdicts;
    }

    private static Workload limited(Workload all, long limit) {
        return new Workload() {
            private long given;

            @Override
            public @Nullable PlannedRequest next() {
                return given++ < limit ? all.next() : null;
            }
        };
    }

    /** To the recorder, and to the circuit breaker once it watches. */
    private static final class Relay implements RunListener {
        private final RunRecorder recorder;
        private volatile Optional<StepWatch> steps = Optional.empty();

        private Relay(RunRecorder recorder) {
            this.recorder = recorder;
        }

        @Override
        public void due(PlannedRequest request, long atMicros) {
            steps.ifPresent(watch -> watch.due(request.step(), atMicros));
        }

        @Override
        public void ended(FinishedRequest request) {
            steps.ifPresent(watch -> watch.ended(request));
            recorder.ended(request);
        }
    }
}
