package io.inferwatch.jobs;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names a metric catalogue; to be mixed in. */
public final class CatalogueOption {
    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue. Default: the one that is shipped.")
    private @Nullable Path file;

    /**
     * The catalogue's text, which has been read once.
     *
     * @throws InvalidSettingsException with all its problems, when it has any
     */
    public String yaml() {
        if (file == null) {
            return MetricCatalogue.shippedYaml();
        }
        try {
            String yaml = Files.readString(file, StandardCharsets.UTF_8);
            MetricCatalogue.parse(file.toString(), yaml);
            return yaml;
        } catch (IOException e) {
            throw new InvalidSettingsException(file.toString(), List.of("must be readable, found " + e));
        }
    }
}
