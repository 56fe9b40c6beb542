package io.inferwatch.probes.reports;

import io.inferwatch.probes.admin.BearerToken;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of what serving processes may report on a probe's admin port; to be mixed in. */
public final class ReportOptions {
    @Option(
            names = "--report-token-file",
            paramLabel = "FILE",
            description =
                    "Who reports to the admin port must send its text as 'authorization: Bearer TOKEN'. Default: no token"
                            + " is asked for.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description =
                    "Metric catalogue with the names that operators may report. Default: the one that is shipped.")
    private @Nullable Path catalogue;

    /**
     * What they say together.
     *
     * @throws InvalidSettingsException when a file cannot be read or is not what it should be
     */
    public ReportSettings settings() {
        return new ReportSettings(
                catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue),
                Optional.ofNullable(tokenFile).map(BearerToken::read));
    }
}
