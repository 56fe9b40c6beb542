package io.inferwatch.probes.corpus;

import io.inferwatch.probes.replay.BadTraceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch corpus build}. Exit status 0 also when nothing has changed, 1 when the prompts are not fit to stand for traffic and nothing was written, 2 when something given is wrong. */
@Command(
        name = "build",
        mixinStandardHelpOptions = true,
        description = {
            "Takes prompts from JSON lines and text files, removes personal data and what repeats, and writes a snapshot.",
            "Called again, it reads only files that are new or have changed, and writes only if prompts have."
        })
final class CorpusBuildCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NOT_FIT = 1;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "DIR",
            description = "Directories or files: .jsonl, .ndjson, .txt, .md, plain or .gz.")
    private List<Path> sources = new ArrayList<>();

    @Option(names = "--corpus", required = true, paramLabel = "DIR", description = "Directory of the snapshots.")
    private Path corpus = Path.of("");

    @Option(
            names = "--field",
            paramLabel = "NAME",
            description =
                    "Field of the JSON lines that holds the prompt. Default: messages, conversations, instruction, prompt, text, question, query, input or content, whichever is there.")
    private @Nullable String field;

    @Option(
            names = "--regions",
            split = ",",
            paramLabel = "COUNTRY",
            defaultValue = "US,GB,DE,FR,ES,IT",
            description = "Whose telephone numbers are known without a country code. Default: ${DEFAULT-VALUE}.")
    private List<String> regions = new ArrayList<>();

    @Option(
            names = "--tokens",
            split = ",",
            paramLabel = "MIN,MAX",
            hideParamSyntax = true,
            description = "Leaves out shorter and longer prompts. Default: none.")
    private List<Integer> tokens = new ArrayList<>();

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("corpus build: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            if (!tokens.isEmpty() && tokens.size() != 2) {
                throw new IllegalArgumentException("--tokens: must be MIN,MAX, found " + tokens);
            }
            CleaningSettings settings = new CleaningSettings(
                    Optional.ofNullable(field),
                    regions,
                    tokens.isEmpty() ? 1 : tokens.get(0),
                    tokens.isEmpty() ? Integer.MAX_VALUE : tokens.get(1));
            Corpus.Build build = new Corpus(corpus, settings, Clock.systemUTC()).build(sources);
            print(out, build);
            build.problems().forEach(problem -> err.println("inferwatch corpus build: " + problem));
            err.flush();
            return build.problems().isEmpty() ? OK : NOT_FIT;
        } catch (BadTraceException | IllegalArgumentException | IOException e) {
            err.println("inferwatch corpus build: "
                    + (e instanceof IOException ? corpus + ": must be writable, found " + e : e.getMessage()));
            err.flush();
            return BAD_INPUT;
        }
    }

    private static void print(PrintWriter out, Corpus.Build build) {
        Counts counts = build.counts();
        Quality quality = build.quality();
        line(
                out,
                "%,d files, %,d of them new or changed; %,d of other kinds",
                build.files(),
                build.read(),
                build.passedOver());
        line(
                out,
                "%,d prompts found: %,d kept, %,d repeated, %,d repetitive, %,d outside of the lengths; %,d lines without one",
                counts.found(),
                counts.kept(),
                counts.repeated(),
                counts.repetitive(),
                counts.outside(),
                counts.unreadable());
        for (PersonalData kind : PersonalData.values()) {
            line(out, "  %-6s %,10d removed", kind.label(), counts.removed().getOrDefault(kind.label(), 0L));
        }
        line(
                out,
                "tokens P10 %,d, P50 %,d, P90 %,d; entropy of four-grams %.2f bits",
                quality.p10Tokens(),
                quality.p50Tokens(),
                quality.p90Tokens(),
                quality.entropyBits());
        quality.inflation()
                .forEach((structure, inflation) -> line(
                        out,
                        "  %-6s %8.2f times the tokens, %.2f times for the same characters",
                        structure,
                        inflation,
                        quality.densities().getOrDefault(structure, 0.0)));
        Snapshot snapshot = build.snapshot();
        if (snapshot != null) {
            line(out, "snapshot %s", snapshot.directory());
        } else {
            line(out, build.problems().isEmpty() ? "nothing has changed" : "no snapshot written");
        }
        out.flush();
    }

    private static void line(PrintWriter out, String format, Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
    }
}
