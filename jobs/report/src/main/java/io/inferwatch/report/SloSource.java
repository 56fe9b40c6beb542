package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.SloFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The file that objectives are read from, and the catalogue that they are checked against. */
final class SloSource {
    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "YAML file with OpenSLO v1 documents: SLO, SLI, AlertPolicy, AlertCondition.")
    private Path file = Path.of("");

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue of the jobs. Default: the one that is shipped")
    private @Nullable Path catalogue;

    MetricCatalogue catalogue() {
        return catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
    }

    /** The file's SLOs; what may be meant otherwise is told. */
    SloFile read(MetricCatalogue metrics, PrintWriter err) {
        SloFile slos = SloFile.read(file, metrics);
        slos.warnings().forEach(warning -> err.println("warning: " + warning));
        return slos;
    }
}
