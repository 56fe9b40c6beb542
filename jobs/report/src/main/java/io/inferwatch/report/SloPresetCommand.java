package io.inferwatch.report;

import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.MlPerfLimits;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code inferwatch slo preset}: published limits as a file to begin with. */
@Command(
        name = "preset",
        description = "Prints SLOs with the limits of MLPerf Inference, as a file that inferwatch slo apply takes.",
        mixinStandardHelpOptions = true)
public final class SloPresetCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Parameters(
            index = "0",
            paramLabel = "NAME",
            description = "One of ${COMPLETION-CANDIDATES}.",
            completionCandidates = Names.class)
    private String name = "";

    @Option(
            names = "--service",
            paramLabel = "NAME",
            defaultValue = "inference",
            description = "Whose promise it is. Default: ${DEFAULT-VALUE}")
    private String service = "";

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "The model that it is of. Default: each model by itself")
    private Optional<String> model = Optional.empty();

    @Spec
    private @Nullable CommandSpec spec;

    /** The names that there are. */
    static final class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Names() {
            super(MlPerfLimits.labels());
        }
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Optional<MlPerfLimits> limits = MlPerfLimits.of(name);
        limits.ifPresentOrElse(
                found -> out.print(found.openSlo(service, model)),
                () -> err.println("NAME: must be one of " + String.join(", ", MlPerfLimits.labels()) + ", found '"
                        + name + "'" + Settings.nearest(name, MlPerfLimits.labels())));
        out.flush();
        err.flush();
        return limits.isPresent() ? OK : BAD_INPUT;
    }
}
