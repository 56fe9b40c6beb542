package io.inferwatch.local.bench;

import io.inferwatch.local.live.ShippedTrace;
import io.inferwatch.probes.load.LoadBench;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench load}: how well the load generator keeps its schedule on this machine, against a server that does nothing and shares it, and beside wrk where that is installed. Ends with 1 when a request failed, or a sending was later than its limit at
 * P99.
 */
@Command(
        name = "load",
        description = "How well the load generator keeps its schedule, against a server that does nothing, beside wrk.",
        mixinStandardHelpOptions = true)
final class LoadBenchCommand implements Callable<Integer> {
    private static final String ROW = "%-34s %9s %8s %8s %9s %9s %9s %9s";
    private static final int CONNECTIONS = 64;
    private static final double LAG_LIMIT_MICROS = 2_000;
    private static final double VALID_LAG_MICROS = 5_000;
    private static final Pattern WRK_RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Trace of Azure's. Default: the twenty minutes of conversations that are shipped.")
    private @Nullable Path trace;

    @Option(
            names = "--speedup",
            defaultValue = "10",
            description = "How many times faster it is sent (default: ${DEFAULT-VALUE}).")
    private double speedup = 10;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            description = "Short streams a second (default: ${DEFAULT-VALUE}).")
    private double rate = 2_000;

    @Option(
            names = "--streams",
            defaultValue = "5000",
            description = "Streams open at once (default: ${DEFAULT-VALUE}).")
    private int streams = 5_000;

    @Option(names = "--seconds", defaultValue = "10", description = "Length of a part (default: ${DEFAULT-VALUE}).")
    private int seconds = 10;

    @Option(names = "--threads", defaultValue = "2", description = "Event loops (default: ${DEFAULT-VALUE}).")
    private int threads = 2;

    @Override
    public Integer call() throws IOException, InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("bench load: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        Path directory = Files.createTempDirectory("inferwatch-bench-load");
        Path file = trace == null ? ShippedTrace.unpack(directory) : trace;
        Trace read = Trace.read(List.of(file), TraceOptions.of(TraceFormat.AZURE));
        out.println(LocalDate.now(ZoneOffset.UTC) + ", " + Runtime.getRuntime().availableProcessors()
                + " processors shared by generator and server");
        out.println(String.format(
                Locale.ROOT, ROW, "", "requests", "failed", "open", "lag P50", "lag P99", "lag max", "TTFT P50"));
        boolean isGood;
        try (LoadBench bench = new LoadBench(threads)) {
            LoadBench.Figures traced = bench.trace(read, speedup, Long.MAX_VALUE);
            isGood = print(out, "Azure's trace, %.0f x".formatted(speedup), traced, LAG_LIMIT_MICROS);
            out.println(String.format(
                    Locale.ROOT,
                    "  gaps of the sendings against the trace's: Kolmogorov's distance %.4f, critical at 1 %% %.4f",
                    traced.gapDistance(),
                    traced.criticalDistance()));
            isGood &= traced.gapDistance() <= traced.criticalDistance();
            isGood &= print(
                    out,
                    "%.0f streams of 8 tokens a second".formatted(rate),
                    bench.rate(rate, (long) (rate * seconds), 8, 0),
                    VALID_LAG_MICROS);
            int micros = (int) TimeUnit.SECONDS.toMicros(1);
            // Each lasts as long as it takes to begin all of them, and as long again.
            isGood &= print(
                    out,
                    "%,d streams of a token a second".formatted(streams),
                    bench.rate(streams / (double) seconds, streams, 2 * seconds, micros),
                    VALID_LAG_MICROS);
            LoadBench.Figures closed = bench.closed(CONNECTIONS, Duration.ofSeconds(seconds));
            isGood &= print(out, CONNECTIONS + " open, one after the other", closed, Double.MAX_VALUE);
            String wrk = wrk(bench.port(), directory);
            out.println(String.format(
                    Locale.ROOT, "  requests a second: inferwatch %,.0f, wrk with one thread %s", closed.rate(), wrk));
        }
        out.flush();
        return isGood ? 0 : 1;
    }

    private static boolean print(PrintWriter out, String name, LoadBench.Figures figures, double lagLimitMicros) {
        out.println(String.format(
                Locale.ROOT,
                ROW,
                name,
                "%,d".formatted(figures.requests()),
                "%,d".formatted(figures.failed()),
                "%,d".formatted(figures.mostOpen()),
                micros(figures.lagMicros().get(0)),
                micros(figures.lagMicros().get(1)),
                micros(figures.lagMicros().get(2)),
                figures.ttftMicros().isEmpty()
                        ? "-"
                        : micros(figures.ttftMicros().get(0))));
        out.flush();
        return figures.failed() == 0 && figures.lagMicros().get(1) <= lagLimitMicros;
    }

    private static String micros(double micros) {
        return String.format(Locale.ROOT, "%.0f us", micros);
    }

    /** Requests a second of the same kind, or why there are none. */
    private String wrk(int port, Path directory) throws IOException, InterruptedException {
        Path script = Files.writeString(
                directory.resolve("post.lua"),
                "wrk.method = \"POST\"\nwrk.body = \"{}\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\n");
        Path output = directory.resolve("wrk.log");
        try {
            Process process = new ProcessBuilder(
                            "wrk",
                            "-t1",
                            "-c" + CONNECTIONS,
                            "-d" + seconds + "s",
                            "-s",
                            script.toString(),
                            "http://127.0.0.1:" + port + "/v1/chat/completions?events=1&micros=0")
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(3L * seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "did not end";
            }
        } catch (IOException e) {
            return "is not installed";
        }
        Matcher matcher = WRK_RATE.matcher(Files.readString(output));
        return matcher.find()
                ? String.format(Locale.ROOT, "%,.0f", Double.parseDouble(matcher.group(1)))
                : "said nothing";
    }
}
