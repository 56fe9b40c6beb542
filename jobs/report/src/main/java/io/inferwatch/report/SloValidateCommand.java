package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.slo.SloFile;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code inferwatch slo validate}: checks a file, and says what it comes to. Needs nothing that runs. */
@Command(
        name = "validate",
        description =
                "Checks a file as a whole, tells every problem with its document and line, and shows what it comes to.",
        mixinStandardHelpOptions = true)
public final class SloValidateCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int BAD_INPUT = 2;

    @Mixin
    private final SloSource source = new SloSource();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            MetricCatalogue metrics = source.catalogue();
            SloFile slos = source.read(metrics, err);
            SloText.lines(slos.objectives(), metrics).forEach(out::println);
            return OK;
        } catch (InvalidSettingsException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        } finally {
            out.flush();
            err.flush();
        }
    }
}
