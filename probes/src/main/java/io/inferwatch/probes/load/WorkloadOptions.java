package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.SkewedLengths;
import io.inferwatch.probes.corpus.PromptStructure;
import io.inferwatch.probes.process.DurationConverter;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceReadingOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What is sent, and when; to be mixed in. */
final class WorkloadOptions {
    private static final int USUAL_TOKENS = 512;

    /** How arrivals of a rate are spread. */
    enum Arrivals {
        POISSON,
        GAMMA,
        CONSTANT,
        BURST
    }

    @Option(
            names = "--trace",
            split = ",",
            paramLabel = "FILE",
            description = "Sends what was recorded, when it was: an open loop. Several files share one clock.")
    List<Path> trace = new ArrayList<>();

    @Option(
            names = "--format",
            converter = TraceReadingOptions.FormatConverter.class,
            description = "Of the trace: agentic, azure, mooncake, burstgpt, ragpulse, or jsonl (own RequestEvents).")
    @Nullable
    TraceFormat format;

    @Mixin
    TraceReadingOptions reading = new TraceReadingOptions();

    @Option(
            names = "--speedup",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many times faster than recorded. Default: ${DEFAULT-VALUE}.")
    double speedup = 1;

    @Option(
            names = "--rates",
            paramLabel = "FILE",
            description = "Sends at the rates of a client of ServeGen, with its distribution of gaps.")
    @Nullable
    Path rates;

    @Option(names = "--request-rate", paramLabel = "N", description = "Requests a second: an open loop.")
    @Nullable
    Double requestRate;

    @Option(
            names = "--stages",
            paramLabel = "RATE:DURATION,...",
            converter = Stages.Converter.class,
            description = "Steps of requests a second, e.g. 300:5m,800:5m,1200:5m, each with a verdict.")
    @Nullable
    Stages stages;

    @Option(
            names = "--arrivals",
            paramLabel = "poisson|gamma|constant|burst",
            defaultValue = "poisson",
            converter = ArrivalsConverter.class,
            description = "How the arrivals of a rate are spread. Default: ${DEFAULT-VALUE}.")
    Arrivals arrivals = Arrivals.POISSON;

    @Option(
            names = "--burstiness",
            paramLabel = "SHAPE",
            defaultValue = "1",
            description =
                    "Shape of gamma's gaps: below 1 come clumps, above 1 they are even. Default: ${DEFAULT-VALUE}.")
    double burstiness = 1;

    @Option(
            names = "--burst-size",
            paramLabel = "N",
            defaultValue = "10",
            description = "Requests that come at once in a burst. Default: ${DEFAULT-VALUE}.")
    int burstSize = 10;

    @Option(
            names = "--max-concurrency",
            paramLabel = "N",
            description = "Most requests open at once. Without a rate or trace the load is a closed loop of so many.")
    @Nullable
    Integer maxConcurrency;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            description = "Conversations at once instead of single requests: a closed loop of so many.")
    @Nullable
    Integer sessions;

    @Option(
            names = "--turns",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Turns of a conversation, each of which repeats the former ones. Default: ${DEFAULT-VALUE}; 4 with --sessions.")
    int turns = 1;

    @Option(
            names = "--think-time",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = DurationConverter.class,
            description = "Mean pause between an answer and the next turn. Default: ${DEFAULT-VALUE}.")
    Duration thinkTime = Duration.ofSeconds(2);

    @Option(
            names = "--lengths",
            paramLabel = "LENGTHS",
            converter = Lengths.Converter.class,
            description =
                    "Tokens of prompts: fixed:512, lognormal:MU,SIGMA,MIN,MAX, or histogram:FILE of lines TOKENS,COUNT. Default: fixed:512.")
    @Nullable
    Lengths lengths;

    @Option(
            names = "--corpus",
            paramLabel = "DIR",
            description =
                    "Sends prompts of a corpus, or of one snapshot of it, as they are, instead of made ones of some lengths.")
    @Nullable
    Path corpus;

    @Option(
            names = "--structure",
            paramLabel = "plain|json|xml",
            converter = StructureConverter.class,
            description = "Form of the corpus's prompts, which requests and events name. Default: plain.")
    @Nullable
    PromptStructure structure;

    @Option(
            names = "--answers",
            paramLabel = "LENGTHS",
            defaultValue = "fixed:128",
            converter = Lengths.Converter.class,
            description = "Tokens of answers, in the same words. Default: ${DEFAULT-VALUE}.")
    Lengths answers = new Lengths.Fixed(128);

    @Option(
            names = "--skew",
            paramLabel = "S",
            description =
                    "Makes fixed lengths of prompts vary as 1 + S sin i, to provoke a scheduler; from 0 to below 1.")
    @Nullable
    Double skew;

    @Option(
            names = "--num-prompts",
            paramLabel = "N",
            description = "Requests of an iteration. Default: all of a trace, of stages or rates; 1000 otherwise.")
    @Nullable
    Long numPrompts;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "After which no more is sent within an iteration.")
    @Nullable
    Duration duration;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "0",
            description = "Requests before, which do not count. Default: ${DEFAULT-VALUE}.")
    long warmUp;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            defaultValue = "1",
            description = "How often the load is sent, each time with other texts. Default: ${DEFAULT-VALUE}.")
    int iterations = 1;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The same seed makes the same load. Default: ${DEFAULT-VALUE}.")
    long seed = 1;

    /** Lengths of prompts, skewed where that was asked for. */
    Lengths prompts() {
        Lengths present = lengths == null ? new Lengths.Fixed(USUAL_TOKENS) : lengths;
        if (skew == null) {
            return present;
        }
        if (!(present instanceof Lengths.Fixed fixed)) {
            throw new IllegalArgumentException("--skew: must come with fixed lengths, found others");
        }
        return new Lengths.Skewed(new SkewedLengths(fixed.tokens(), skew));
    }

    /** The form of prompts; null where they are not of a corpus. */
    @Nullable
    PromptStructure corpusStructure() {
        if (corpus == null) {
            return null;
        }
        return structure == null ? PromptStructure.PLAIN : structure;
    }

    /** What they say, by name. */
    void describe(Map<String, String> options) {
        options.put("seed", Long.toString(seed));
        PromptStructure form = corpusStructure();
        if (corpus == null || form == null) {
            options.put("lengths", prompts().toString());
        } else {
            options.put("corpus", corpus.toString());
            options.put("structure", form.label());
        }
        options.put("answers", answers.toString());
        if (!trace.isEmpty()) {
            options.put(
                    "trace", String.join(",", trace.stream().map(Path::toString).toList()));
            options.put("speedup", Double.toString(speedup));
        }
        if (requestRate != null) {
            options.put("request-rate", requestRate.toString());
            options.put("arrivals", arrivals.name().toLowerCase(Locale.ROOT));
            options.put("burstiness", Double.toString(burstiness));
        }
        if (maxConcurrency != null) {
            options.put("max-concurrency", maxConcurrency.toString());
        }
        if (sessions != null) {
            options.put("sessions", sessions.toString());
        }
    }

    static final class ArrivalsConverter implements ITypeConverter<Arrivals> {
        @Override
        public Arrivals convert(String text) {
            for (Arrivals arrivals : Arrivals.values()) {
                if (arrivals.name().toLowerCase(Locale.ROOT).equals(text)) {
                    return arrivals;
                }
            }
            throw new TypeConversionException("must be poisson, gamma, constant or burst, found '" + text + "'");
        }
    }

    static final class StructureConverter implements ITypeConverter<PromptStructure> {
        @Override
        public PromptStructure convert(String text) {
            for (PromptStructure structure : PromptStructure.values()) {
                if (structure.label().equals(text)) {
                    return structure;
                }
            }
            throw new TypeConversionException("must be plain, json or xml, found '" + text + "'");
        }
    }
}
