package io.inferwatch.probes.reports;

import io.inferwatch.probes.admin.BearerToken;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.Optional;

/**
 * What serving processes may report.
 *
 * @param catalogue has the names that operators may use
 * @param token what reporters must know, if anything
 */
public record ReportSettings(MetricCatalogue catalogue, Optional<BearerToken> token) {
    /** The shipped catalogue's names, from anybody who reaches the port. */
    public static ReportSettings byDefault() {
        return new ReportSettings(MetricCatalogue.shipped(), Optional.empty());
    }
}
