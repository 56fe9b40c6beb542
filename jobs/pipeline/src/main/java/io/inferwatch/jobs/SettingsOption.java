package io.inferwatch.jobs;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the settings of measuring; to be mixed in. */
public final class SettingsOption {
    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "YAML file with watermark delay, lateness, idleness, alignment and goodput limits.")
    private @Nullable Path file;

    /**
     * The settings in the file, or the defaults where none is named.
     *
     * @throws InvalidSettingsException with all its problems, when it has any
     */
    public MeasureSettings settings() {
        return file == null ? MeasureSettings.byDefault() : MeasureSettings.read(file);
    }
}
