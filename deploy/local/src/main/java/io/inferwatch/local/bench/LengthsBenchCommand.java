package io.inferwatch.local.bench;

import io.inferwatch.analytics.schedule.TruncatedLognormal;
import io.inferwatch.local.live.ShippedTrace;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import io.inferwatch.simulation.engine.EngineSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench lengths}: what a load test with prompts of one length says, and one with lengths drawn from a fitted distribution, against the recorded lengths themselves; and what batch and rate do. All on a simulated server in virtual
 * time, so that the same seed gives the same tables everywhere.
 */
@Command(
        name = "lengths",
        description =
                "What fixed and fitted lengths of prompts get wrong, and what batch and rate do, on a simulated server in virtual time.",
        mixinStandardHelpOptions = true)
final class LengthsBenchCommand implements Callable<Integer> {
    private static final String LENGTHS = "%-28s %10s %16s %16s %14s";
    private static final String BATCHES = "%8s %8s %10s %10s %12s";
    private static final int[] BATCH_SIZES = {8, 32, 128};
    private static final double[] RATES = {1, 2, 4, 6};
    private static final int ANSWER_TOKENS = 128;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--rate",
            defaultValue = "5",
            description = "Requests a second of the first table (default: ${DEFAULT-VALUE}).")
    private double rate = 5;

    @Option(names = "--fixed", defaultValue = "512", description = "The one length (default: ${DEFAULT-VALUE}).")
    private int fixed = 512;

    @Option(
            names = "--requests",
            defaultValue = "5000",
            description = "Requests of each line (default: ${DEFAULT-VALUE}).")
    private int requests = 5_000;

    @Option(names = "--seed", defaultValue = "1", description = "Of arrivals and lengths (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("bench lengths: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        int[] recorded = recordedLengths();
        printLengths(out, recorded);
        out.println();
        printBatches(out, recorded);
        out.flush();
        return 0;
    }

    private void printLengths(PrintWriter out, int[] recorded) {
        int max = Arrays.stream(recorded).max().orElseThrow();
        int min = Arrays.stream(recorded).min().orElseThrow();
        TruncatedLognormal fitted = TruncatedLognormal.fit(recorded, min, max);
        int mean = (int) Math.round(Arrays.stream(recorded).average().orElseThrow());
        VirtualLoad.Outcomes truth = play(drawn(recorded), rate, EngineSpec.llama8bOnA100());
        out.println(line(
                "%,d prompts of Azure's conversations, %.0f requests/s, answers of %d tokens; fitted: mu %.2f, sigma %.2f, %d to %d",
                recorded.length, rate, ANSWER_TOKENS, fitted.mu(), fitted.sigma(), min, max));
        out.println(line(LENGTHS, "prompts", "tokens/s", "KV read GB/s", "TTFT P99 ms", "E2E P95 ms"));
        print(out, "as recorded", truth, truth);
        print(out, "drawn from the fit", play(drawn(fitted), rate, EngineSpec.llama8bOnA100()), truth);
        print(out, "all " + fixed, play(i -> fixed, rate, EngineSpec.llama8bOnA100()), truth);
        print(out, "all " + mean + ", the mean", play(i -> mean, rate, EngineSpec.llama8bOnA100()), truth);
    }

    private void printBatches(PrintWriter out, int[] recorded) {
        out.println(line(BATCHES, "batch", "asked/s", "QPS", "tokens/s", "E2E P95 ms"));
        for (int batch : BATCH_SIZES) {
            for (double asked : RATES) {
                EngineSpec usual = EngineSpec.llama8bOnA100();
                VirtualLoad.Outcomes outcomes =
                        play(drawn(recorded), asked, usual.withLimits(usual.tokenBudget(), batch));
                out.println(line(
                        BATCHES,
                        batch,
                        line("%.0f", asked),
                        line("%.2f", outcomes.requestsPerSecond()),
                        line("%.0f", outcomes.outputTokensPerSecond()),
                        line("%.0f", outcomes.e2eP95Seconds() * 1e3)));
            }
        }
    }

    private static void print(PrintWriter out, String name, VirtualLoad.Outcomes found, VirtualLoad.Outcomes truth) {
        out.println(line(
                LENGTHS,
                name,
                line("%.0f", found.promptTokensPerSecond() + found.outputTokensPerSecond()),
                against(found.cacheBytesPerSecond() / 1e9, truth.cacheBytesPerSecond() / 1e9, "%.2f"),
                against(found.ttftP99Seconds() * 1e3, truth.ttftP99Seconds() * 1e3, "%.0f"),
                against(found.e2eP95Seconds() * 1e3, truth.e2eP95Seconds() * 1e3, "%.0f")));
    }

    private static String against(double found, double truth, String format) {
        String error = found == truth ? "" : line(" %+.1f%%", 100 * (found / truth - 1));
        return line(format, found) + error;
    }

    private VirtualLoad.Outcomes play(IntUnaryOperator prompts, double asked, EngineSpec engine) {
        return new VirtualLoad(asked, requests, prompts, i -> ANSWER_TOKENS, seed).play(engine);
    }

    private IntUnaryOperator drawn(int[] lengths) {
        return i -> lengths[new SplittableRandom(seed + 31L * i).nextInt(lengths.length)];
    }

    private IntUnaryOperator drawn(TruncatedLognormal lengths) {
        return i -> lengths.quantile(new SplittableRandom(seed + 31L * i).nextDouble());
    }

    private static int[] recordedLengths() throws IOException {
        Path file = ShippedTrace.unpack(Files.createTempDirectory("inferwatch-bench-lengths"));
        return Trace.read(List.of(file), TraceOptions.of(TraceFormat.AZURE)).events().stream()
                .mapToInt(event -> Math.toIntExact(event.getPromptTokens()))
                .toArray();
    }

    private static String line(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
