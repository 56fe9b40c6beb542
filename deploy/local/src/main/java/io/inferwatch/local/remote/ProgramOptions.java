package io.inferwatch.local.remote;

import io.inferwatch.jobs.JobGraph;
import io.inferwatch.jobs.JobMain;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which job is to run, of which jar, with which options; to be mixed in. */
final class ProgramOptions {
    static final String FOOTER =
            "What follows -- are the job's own options: those of inferwatch job NAME, but for --data, --parallelism"
                    + " and --ui-port. Files that they name are read on the cluster, secrets included, so that none"
                    + " crosses the network here.";

    /** System property by which the launcher names the job jar of its build. */
    private static final String BUILT_JAR = "inferwatch.job-jar";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Parameters(index = "0", paramLabel = "JOB", description = "measure, detect, store or backfill.")
    private String name = "";

    @Parameters(index = "1..*", paramLabel = "-- OPTIONS", description = "Options of the job.")
    private List<String> options = List.of();

    @Option(names = "--jar", paramLabel = "FILE", description = "The job jar. Default: the build's.")
    private @Nullable Path jar;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "Parallelism of the job. Default: the cluster's parallelism.default.")
    private @Nullable Integer parallelism;

    /** The job's name on the command line. */
    String name() {
        return name;
    }

    /** The arguments of the job jar's entry class, which its own parser has passed; a problem ends the command with status 2. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add(name);
        arguments.addAll(options);
        graph(arguments.toArray(new String[0]));
        return arguments;
    }

    /** The job's name in Flink. */
    String jobName() {
        return graph(name).jobName();
    }

    Path jar() {
        Path file = jar;
        if (file == null) {
            String built = System.getProperty(BUILT_JAR);
            if (built == null) {
                throw problem("--jar: must be given where no launcher names the build's, found nothing");
            }
            file = Path.of(built);
        }
        if (!Files.isReadable(file)) {
            throw problem("--jar: must be a readable file, found " + file);
        }
        return file;
    }

    OptionalInt parallelism() {
        if (parallelism == null) {
            return OptionalInt.empty();
        }
        if (parallelism < 1 || parallelism > 720) {
            throw problem("--parallelism: must be from 1 to 720, found " + parallelism);
        }
        return OptionalInt.of(parallelism);
    }

    private JobGraph graph(String... arguments) {
        try {
            return JobMain.parse(arguments);
        } catch (IllegalArgumentException e) {
            throw problem(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException problem(String message) {
        if (command == null) {
            throw new IllegalStateException("not made by picocli");
        }
        return new ParameterException(command.commandLine(), message);
    }
}
