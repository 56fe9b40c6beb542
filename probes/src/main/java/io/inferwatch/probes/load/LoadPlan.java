package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.probes.corpus.PromptStructure;
import io.inferwatch.probes.corpus.Snapshot;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The load that options ask for.
 *
 * @param workload of an iteration, by its seed
 * @param ratePerSecond about so many requests; empty for a closed loop
 * @param maxOpen conversations or requests at once
 * @param longest of an iteration
 * @param stepRates requests a second that each step asks for; empty without steps
 * @param warnings of what was odd in files
 */
record LoadPlan(
        LongFunction<Workload> workload,
        Optional<Double> ratePerSecond,
        int maxOpen,
        Duration longest,
        List<Double> stepRates,
        List<String> warnings) {
    /** Longer than anybody waits, and short enough to count in nanoseconds. */
    private static final Duration ENDLESS = Duration.ofDays(3_650);

    private static final long USUAL_PROMPTS = 1_000;
    private static final int USUAL_TURNS = 4;
    private static final double MAX_RATE = 1e6;

    LoadPlan {
        stepRates = List.copyOf(stepRates);
        warnings = List.copyOf(warnings);
    }

    /**
     * Checks the options and reads their files.
     *
     * @throws IllegalArgumentException when they make no sense together
     */
    static LoadPlan of(WorkloadOptions options) {
        List<String> kinds = new ArrayList<>();
        add(kinds, "--trace", !options.trace.isEmpty());
        add(kinds, "--rates", options.rates != null);
        add(kinds, "--request-rate", options.requestRate != null);
        add(kinds, "--stages", options.stages != null);
        add(kinds, "--sessions", options.sessions != null);
        if (kinds.size() > 1) {
            throw new IllegalArgumentException(
                    "load: must be one of --trace, --rates, --request-rate, --stages and --sessions, found "
                            + String.join(" and ", kinds));
        }
        if (kinds.isEmpty() && options.maxConcurrency == null) {
            throw new IllegalArgumentException(
                    "load: must be told, by --trace, --rates, --request-rate, --stages, --sessions or --max-concurrency");
        }
        requireAtLeast("--turns", options.turns, 1);
        requireAtLeast("--burst-size", options.burstSize, 1);
        requireAtLeast("--iterations", options.iterations, 1);
        requireAtLeast("--warm-up", options.warmUp, 0);
        requireAtLeast("--num-prompts", options.numPrompts, 1);
        requireAtLeast("--max-concurrency", options.maxConcurrency, 1);
        requireAtLeast("--sessions", options.sessions, 1);
        requireFitting(options);
        requirePositive("--speedup", options.speedup);
        requirePositive("--burstiness", options.burstiness);
        int maxOpen = options.maxConcurrency == null ? Integer.MAX_VALUE : options.maxConcurrency;
        Duration longest = options.duration == null ? ENDLESS : options.duration;
        if (!options.trace.isEmpty()) {
            return ofTrace(options, maxOpen, longest);
        }
        int turns = options.sessions != null && options.turns == 1 ? USUAL_TURNS : options.turns;
        LongFunction<Prompts> texts = prompts(options);
        LongFunction<RequestMaker> maker = seed ->
                new RequestMaker(texts.apply(seed), options.answers, turns, options.thinkTime.toNanos() / 1e9, seed);
        List<RateWorkload.Step> steps = steps(options);
        if (steps.isEmpty()) {
            long conversations = ceilingOf(usualPrompts(options), turns);
            int closed = options.sessions == null ? maxOpen : options.sessions;
            return new LoadPlan(
                    seed -> new ClosedWorkload(maker.apply(seed), conversations),
                    Optional.empty(),
                    closed,
                    longest,
                    List.of(),
                    List.of());
        }
        int burst = options.arrivals == WorkloadOptions.Arrivals.BURST ? options.burstSize : 1;
        long prompts = options.requestRate != null ? usualPrompts(options) : most(options.numPrompts);
        long conversations = ceilingOf(prompts, turns);
        return new LoadPlan(
                seed -> new RateWorkload(steps, burst, maker.apply(seed), conversations, seed),
                Optional.of(highestRate(steps) * burst),
                maxOpen,
                longest,
                options.stages == null
                        ? List.of()
                        : options.stages.all().stream().map(Stages.Stage::rate).toList(),
                List.of());
    }

    /** What is sent, by the seed of an iteration; a corpus is read once. */
    private static LongFunction<Prompts> prompts(WorkloadOptions options) {
        PromptStructure structure = options.corpusStructure();
        if (options.corpus == null || structure == null) {
            Lengths lengths = options.prompts();
            return seed -> lengths;
        }
        CorpusPrompts prompts = CorpusPrompts.of(Snapshot.open(options.corpus).prompts(structure));
        return prompts::shuffled;
    }

    private static void requireFitting(WorkloadOptions options) {
        if (options.corpus == null && options.structure != null) {
            throw new IllegalArgumentException("--structure: must come with --corpus, found none");
        }
        List<String> others = new ArrayList<>();
        add(others, "--trace", !options.trace.isEmpty());
        add(others, "--lengths", options.lengths != null);
        add(others, "--skew", options.skew != null);
        if (options.corpus != null && !others.isEmpty()) {
            throw new IllegalArgumentException(
                    "--corpus: must be alone in saying how long prompts are, found " + String.join(" and ", others));
        }
    }

    private static LoadPlan ofTrace(WorkloadOptions options, int maxOpen, Duration longest) {
        TraceFormat format = options.format;
        if (format == null) {
            throw new IllegalArgumentException("--format: must be given with --trace");
        }
        Trace trace = Trace.read(options.trace, options.reading.of(format, null));
        TraceWorkload first = new TraceWorkload(trace, options.speedup, most(options.numPrompts), options.seed);
        List<String> warnings = new ArrayList<>(trace.summary().warnings());
        trace.summary()
                .marked()
                .forEach((mark, count) -> warnings.add(
                        "%,d of %,d rows: %s".formatted(count, trace.summary().rows(), mark.label())));
        if (trace.summary().skipped() > 0) {
            warnings.add("%,d of %,d rows left out: their prompts are over the limit"
                    .formatted(trace.summary().skipped(), trace.summary().rows()));
        }
        if (first.withoutLength() > 0) {
            warnings.add("%,d of %,d rows left out: they do not say how long their prompts were"
                    .formatted(first.withoutLength(), trace.summary().rows()));
        }
        return new LoadPlan(
                seed -> new TraceWorkload(trace, options.speedup, most(options.numPrompts), seed),
                Optional.of(first.ratePerSecond()),
                maxOpen,
                longest,
                List.of(),
                warnings);
    }

    private static List<RateWorkload.Step> steps(WorkloadOptions options) {
        if (options.rates != null) {
            return RateFile.read(options.rates, options.speedup);
        }
        if (options.requestRate != null) {
            return List.of(step(options, options.requestRate, Long.MAX_VALUE));
        }
        Stages stages = options.stages;
        return stages == null
                ? List.of()
                : stages.all().stream()
                        .map(stage -> step(options, stage.rate(), stage.length().toNanos()))
                        .toList();
    }

    private static RateWorkload.Step step(WorkloadOptions options, double rate, long lengthNanos) {
        if (!(rate > 0 && rate <= MAX_RATE)) {
            throw new IllegalArgumentException(
                    "--request-rate: must be above 0 and at most " + (long) MAX_RATE + ", found " + rate);
        }
        Gaps gaps =
                switch (options.arrivals) {
                    case POISSON -> new Gaps.Exponential(1 / rate);
                    case GAMMA -> Gaps.gamma(rate, options.burstiness);
                    case CONSTANT -> new Gaps.Constant(1 / rate);
                    case BURST -> new Gaps.Constant(options.burstSize / rate);
                };
        return new RateWorkload.Step(Optional.of(gaps), lengthNanos);
    }

    private static double highestRate(List<RateWorkload.Step> steps) {
        return steps.stream()
                .flatMap(step -> step.gaps().stream())
                .mapToDouble(gaps -> 1 / gaps.mean())
                .max()
                .orElse(0);
    }

    /** A thousand, unless something else ends the load. */
    private static long usualPrompts(WorkloadOptions options) {
        return options.numPrompts == null && options.duration == null ? USUAL_PROMPTS : most(options.numPrompts);
    }

    /** Conversations that have so many turns together, or a few more. */
    private static long ceilingOf(long prompts, int turns) {
        return (prompts - 1) / turns + 1;
    }

    private static long most(@Nullable Long limit) {
        return limit == null ? Long.MAX_VALUE : limit;
    }

    private static void add(List<String> kinds, String name, boolean isGiven) {
        if (isGiven) {
            kinds.add(name);
        }
    }

    private static void requireAtLeast(String name, @Nullable Number value, long least) {
        if (value != null && value.longValue() < least) {
            throw new IllegalArgumentException(name + ": must be at least " + least + ", found " + value);
        }
    }

    private static void requirePositive(String name, double value) {
        if (!(value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException(name + ": must be above 0, found " + value);
        }
    }
}
