package io.inferwatch.probes.corpus;

import io.inferwatch.probes.replay.BadTraceException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch corpus verify}. Exit status 1 when a snapshot is not what it says, 2 when there is none. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description =
                "Checks that snapshots are as they were written, that their figures are true, and that no personal data is found in them today.")
final class CorpusVerifyCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int DIFFERENT = 1;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "A snapshot, or a corpus with all its snapshots.")
    private Path directory = Path.of("");

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("corpus verify: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            boolean isSnapshot = Files.exists(directory.resolve(Snapshot.MANIFEST));
            List<Path> all = isSnapshot ? List.of(directory) : Snapshot.all(directory);
            if (all.isEmpty()) {
                throw new IllegalArgumentException(
                        directory + ": must be a corpus or a snapshot of one, found neither");
            }
            int status = OK;
            for (Path path : all) {
                Snapshot snapshot = Snapshot.read(path);
                List<String> problems = Corpus.verify(snapshot);
                out.println(snapshot.name() + (problems.isEmpty() ? " is what it says" : ""));
                problems.forEach(problem -> out.println("  " + problem));
                status = problems.isEmpty() ? status : DIFFERENT;
            }
            out.flush();
            return status;
        } catch (BadTraceException | IllegalArgumentException e) {
            err.println("inferwatch corpus verify: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }
}
