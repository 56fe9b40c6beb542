package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.ArrivalFit;
import io.inferwatch.analytics.schedule.Gaps;
import io.inferwatch.analytics.schedule.TruncatedLognormal;
import io.inferwatch.probes.process.DurationConverter;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.RecordedRequests;
import io.inferwatch.probes.publish.UnreachableKafkaException;
import io.inferwatch.probes.replay.BadTraceException;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceReadingOptions;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch load fit}: distributions of arrivals and lengths of requests that were recorded in files or are in Kafka, and the options of a load that has them. Exit status 2 when something given is wrong. */
@Command(
        name = "fit",
        mixinStandardHelpOptions = true,
        description = "Fits arrivals and lengths of recorded requests, and says which options make a load like them.")
final class LoadFitCommand implements Callable<Integer> {
    private static final String GAPS = "  %-12s %10s %12s %11s %14s %10s";
    private static final int LEAST_REQUESTS = 10;
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "FILE", description = "Files of one format, plain or gzip.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--from-kafka",
            description = "Takes the production requests that probes have published instead of files.")
    private boolean fromKafka;

    @Option(
            names = "--last",
            paramLabel = "DURATION",
            defaultValue = "1h",
            converter = DurationConverter.class,
            description = "Requests of Kafka that began so long ago or later. Default: ${DEFAULT-VALUE}.")
    private Duration last = Duration.ofHours(1);

    @Option(names = "--model", paramLabel = "NAME", description = "Requests of Kafka for this model only.")
    private @Nullable String model;

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

    @Option(
            names = "--format",
            converter = TraceReadingOptions.FormatConverter.class,
            description = "Of the files: agentic, azure, mooncake, burstgpt, ragpulse, or jsonl (own RequestEvents).")
    private @Nullable TraceFormat format;

    @Mixin
    private TraceReadingOptions reading = new TraceReadingOptions();

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("load fit: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            List<ObservedRequest> requests = fromKafka ? ofKafka(err) : ofFiles(err);
            List<String> options = new ArrayList<>();
            fitArrivals(out, requests, options);
            fitLengths(out, "prompts", "--lengths", requests, ObservedRequest::promptTokens, options);
            fitLengths(out, "answers", "--answers", requests, ObservedRequest::outputTokens, options);
            out.println("inferwatch load --url URL " + String.join(" ", options));
            out.flush();
            err.flush();
            return OK;
        } catch (BadTraceException
                | UnreachableKafkaException
                | InvalidSettingsException
                | IllegalArgumentException e) {
            err.println("inferwatch load fit: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private List<ObservedRequest> ofFiles(PrintWriter err) {
        TraceFormat present = format;
        if (files.isEmpty() || present == null) {
            throw new IllegalArgumentException("requests: must come from files with --format, or --from-kafka, found "
                    + (files.isEmpty() ? "neither" : "files without --format"));
        }
        Trace trace = Trace.read(files, reading.of(present, null));
        trace.summary().warnings().forEach(warning -> err.println("warning: " + warning));
        return trace.events().stream().map(ObservedRequest::of).toList();
    }

    private List<ObservedRequest> ofKafka(PrintWriter err) {
        if (!files.isEmpty()) {
            throw new IllegalArgumentException("requests: must come from files or --from-kafka, found both");
        }
        Instant from = Instant.now().minus(last);
        long fromMicros = ChronoUnit.MICROS.between(Instant.EPOCH, from);
        List<ObservedRequest> requests = new ArrayList<>();
        RecordedRequests recorded = new RecordedRequests(kafka.settings());
        recorded.since(from, event -> {
            boolean isWanted = event.getTraffic() == Traffic.PRODUCTION
                    && event.getStartedAtMicros() >= fromMicros
                    && (model == null || model.equals(event.getModel()));
            if (isWanted) {
                requests.add(ObservedRequest.of(event));
            }
        });
        if (recorded.undecodable() > 0) {
            err.printf("warning: %,d records could not be read%n", recorded.undecodable());
        }
        return requests;
    }

    private static void fitArrivals(PrintWriter out, List<ObservedRequest> requests, List<String> options) {
        if (requests.size() < LEAST_REQUESTS) {
            throw new IllegalArgumentException(
                    "requests: must be at least " + LEAST_REQUESTS + " for a fit, found " + requests.size());
        }
        long[] atMicros = requests.stream()
                .mapToLong(ObservedRequest::startedAtMicros)
                .sorted()
                .toArray();
        double[] gaps = new double[Math.max(0, atMicros.length - 1)];
        Arrays.setAll(gaps, i -> (atMicros[i + 1] - atMicros[i]) / 1e6);
        ArrivalFit fit = ArrivalFit.of(gaps);
        double seconds = (atMicros[atMicros.length - 1] - atMicros[0]) / 1e6;
        double rate = gaps.length / seconds;
        out.println(line(
                "arrivals: %,d in %,.1f s, %.3f/s; counts vary %.2f times as much as Poisson's; %,d gaps of 0",
                atMicros.length, seconds, rate, fit.dispersion(), fit.zeros()));
        out.println(line(GAPS, "gaps", "shape", "scale s", "variation", "criterion", "distance"));
        for (ArrivalFit.Candidate candidate : fit.candidates()) {
            Gaps found = candidate.gaps();
            out.println(line(
                    GAPS,
                    found.getClass().getSimpleName().toLowerCase(Locale.ROOT),
                    shape(found),
                    line("%.6f", scale(found)),
                    line("%.3f", found.variation()),
                    line("%.1f", candidate.criterion()),
                    line("%.4f", candidate.distance())));
        }
        options.add(line("--request-rate %.4g", rate));
        if (!(fit.best() instanceof Gaps.Exponential)) {
            // A gamma of the same variation, which is what the load has options for.
            double variation = fit.best().variation();
            options.add(line("--arrivals gamma --burstiness %.4g", 1 / (variation * variation)));
        }
    }

    private static String shape(Gaps gaps) {
        if (gaps instanceof Gaps.Gamma gamma) {
            return line("%.4f", gamma.shape());
        }
        return gaps instanceof Gaps.Weibull weibull ? line("%.4f", weibull.shape()) : "-";
    }

    private static double scale(Gaps gaps) {
        if (gaps instanceof Gaps.Gamma gamma) {
            return gamma.scaleSeconds();
        }
        return gaps instanceof Gaps.Weibull weibull ? weibull.scaleSeconds() : gaps.mean();
    }

    private static void fitLengths(
            PrintWriter out,
            String name,
            String option,
            List<ObservedRequest> requests,
            Function<ObservedRequest, @Nullable Long> tokens,
            List<String> options) {
        int[] lengths = requests.stream()
                .map(tokens)
                .filter(Objects::nonNull)
                .mapToInt(length -> Math.toIntExact(Objects.requireNonNull(length)))
                .filter(length -> length > 0)
                .sorted()
                .toArray();
        if (lengths.length == 0) {
            out.println(name + ": nothing says how long they were");
            return;
        }
        int min = lengths[0];
        int max = lengths[lengths.length - 1];
        if (min == max) {
            out.println(line("%s: all of %d tokens", name, min));
            options.add(option + " fixed:" + min);
            return;
        }
        TruncatedLognormal fitted = TruncatedLognormal.fit(lengths, min, max);
        out.println(line(
                "%s: mean %.0f, P50 %d, P99 %d tokens; lognormal of mu %.4f, sigma %.4f from %d to %d: mean %.0f, P50 %d, P99 %d",
                name,
                Arrays.stream(lengths).average().orElseThrow(),
                lengths[(lengths.length - 1) / 2],
                lengths[(int) Math.ceil(0.99 * lengths.length) - 1],
                fitted.mu(),
                fitted.sigma(),
                min,
                max,
                fitted.mean(),
                fitted.quantile(0.5),
                fitted.quantile(0.99)));
        options.add(line("%s lognormal:%.4f,%.4f,%d,%d", option, fitted.mu(), fitted.sigma(), min, max));
    }

    private static String line(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
