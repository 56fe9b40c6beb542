package io.inferwatch.local;

import io.inferwatch.local.docs.CatalogueGrammar;
import io.inferwatch.local.docs.CommandReference;
import io.inferwatch.local.docs.MeasurementReference;
import io.inferwatch.local.docs.MetricReference;
import io.inferwatch.local.docs.SettingsReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes the reference pages of {@code deploy/docs}, each from what it is about. */
public final class DocumentationFiles {
    static final String RENEWED_BY = "mvn -q -Pdocs -pl deploy/local -am process-test-classes";

    private static final String ORIGIN =
            "Written by `" + RENEWED_BY + "` from the code; a test fails when it is stale. Do not edit.\n";

    private DocumentationFiles() {}

    /** Writes them into the working copy that the first argument names. */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        for (Map.Entry<String, String> page : pages(root).entrySet()) {
            Files.writeString(directory(root).resolve(page.getKey()), page.getValue());
        }
    }

    static Path directory(Path root) {
        return root.resolve("deploy/docs");
    }

    /** The pages by their files' names, from the working copy's own sources. */
    static Map<String, String> pages(Path root) {
        return new TreeMap<>(Map.of("configuration.md", configuration(root), "metrics.md", metrics(root)));
    }

    private static String configuration(Path root) {
        String variables = SettingsReference.replicaVariables().stream()
                .map(variable -> "`" + variable + "`")
                .collect(Collectors.joining(", "));
        return """
                # Configuration reference

                %s
                [Files](#files) · [environment](#environment) · [metric catalogue](#metric-catalogue) · [commands](#commands)

                ## Files

                YAML, read strictly: all problems of a file are reported together, each as `key: must be …, found …`, keys that nobody knows with the nearest known one, and
                the command ends with status 2. `NAME` stands for names of your own. Durations are whole numbers with a unit: `250ms`, `10s`, `15m`, `24h`. Texts that YAML would
                read as numbers stand in quotes.

                %s\
                ## Environment

                | variable | meaning |
                |---|---|
                | %s | What the section `replica` leaves open, as Kubernetes' downward API puts it |
                | `INFERWATCH_INFLUXDB_TOKEN`, `INFERWATCH_INFLUXDB_PASSWORD` | Secrets of InfluxDB where no file is named |
                | `INFERWATCH_JAVA_OPTS`, `JAVA_HOME` | Options of the JVM, and which; read by the launcher |

                ## Metric catalogue

                `--catalogue FILE` of probes and jobs; the one that is shipped is
                [metrics.yaml](../../schemas/src/main/resources/io/inferwatch/schemas/catalogue/metrics.yaml), what is in it [metrics.md](metrics.md). The text of each section is its own comment there.

                %s\
                ## Commands

                Every command has `--help` and `--version`. Exit status: 0, 2 where something given is wrong, others as the module's README says.

                %s""".formatted(
                        ORIGIN,
                        new SettingsReference(directory(root).resolve("settings")).text(),
                        variables,
                        CatalogueGrammar.text(),
                        CommandReference.of(InferwatchCommand.commandLine()).stripTrailing() + "\n");
    }

    private static String metrics(Path root) {
        MeasurementReference measurements =
                new MeasurementReference(root.resolve("jobs/influx/src/main/java/io/inferwatch/influx"));
        return """
                # Metrics and measurements

                %s
                [Metrics](#metrics) · [views](#views) · [dimensions](#dimensions) · [what is judged](#what-is-judged) · [measurements](#measurements)

                All of it is the catalogue that is shipped; what the entries mean is in [configuration.md](configuration.md#metric-catalogue), how to add one in
                [schemas](../../schemas/README.md). Points are in base units: seconds, bytes, tokens, ratios from 0 to 1. What is not known is absent, never 0.

                ## Metrics

                The last part of a field's name is the statistic and, where the metric's name does not say it already, the unit; `…` stands for the other
                [statistics](#statistics-in-names-of-fields) of a distribution.

                %s
                ## Measurements

                Time is the end of the window. Every measurement of windows and of what is computed of them has the tag `view` and the view's dimensions.

                %s
                %s""".formatted(
                        ORIGIN,
                        new MetricReference().text(),
                        measurements.policies(),
                        measurements.text().stripTrailing() + "\n");
    }
}
