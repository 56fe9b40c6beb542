package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch report buckets}: the boundaries of padding that would waste the least, and whether to change to them. */
@Command(
        name = "buckets",
        description = "The boundaries that lengths, or batches, of a model are best padded to, found exactly from the"
                + " sketches of the period; what they waste beside the present ones and beside equal ratios and"
                + " distances; and whether they would have saved on each day. Asks for seven days with --from -7d.",
        mixinStandardHelpOptions = true)
public final class BucketsCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FAILED = 1;

    @Option(names = "--model", required = true, paramLabel = "NAME", description = "The model.")
    private String model = "";

    @Option(names = "--model-version", paramLabel = "NAME", description = "This version alone. Default: all versions")
    private @Nullable String version;

    @Option(
            names = "--metric",
            paramLabel = "NAME",
            description = "sequence_tokens, or batch_size for the sizes that CUDA graphs are captured for."
                    + " Default: ${DEFAULT-VALUE}",
            defaultValue = "sequence_tokens")
    private String metric = "sequence_tokens";

    @Option(
            names = "--k",
            paramLabel = "NUMBER",
            description = "How many boundaries there may be, the last among them. Default: ${DEFAULT-VALUE}",
            defaultValue = "16")
    private int count = 16;

    @Option(
            names = "--current",
            split = ",",
            paramLabel = "SIZE",
            description = "The present boundaries, rising; the last one stays. Default: powers of two")
    private List<Long> current = List.of();

    @Option(
            names = "--write",
            paramLabel = "FILE",
            description = "Writes the best boundaries as the JSON that vLLM takes as --compilation-config.")
    private @Nullable Path file;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public BucketsCommand() {
        this(InstantSource.system());
    }

    BucketsCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, this::question);
    }

    private ReadingOptions.Answer question(MetricCatalogue metrics, Instant from, Instant to) {
        BucketsRequest request =
                BucketsRequest.of(metrics, metric, model, Optional.ofNullable(version), count, current, from, to);
        return (reader, out, err) -> tell(request, new StoredSketches(reader), out, err);
    }

    private int tell(BucketsRequest request, StoredSketches sketches, PrintWriter out, PrintWriter err) {
        Optional<BucketsReport> report = BucketsReport.read(request, sketches);
        if (report.isEmpty()) {
            err.println("no data: there is no " + metric + " of model " + model
                    + (version == null ? "" : ", version " + version) + " up to the last boundary from "
                    + request.sketches().from() + " to " + request.sketches().to());
            return FAILED;
        }
        if (reading.isJson()) {
            out.println(BucketsText.json(report.get()));
        } else {
            BucketsText.table(report.get()).forEach(out::println);
        }
        return file == null
                ? OK
                : write(file, BucketsText.compilationConfig(report.get().advice()), err);
    }

    private static int write(Path file, String text, PrintWriter err) {
        try {
            Files.writeString(file, text + System.lineSeparator());
            return OK;
        } catch (IOException e) {
            err.println("--write: must be a file that can be written, found " + e);
            return FAILED;
        }
    }
}
