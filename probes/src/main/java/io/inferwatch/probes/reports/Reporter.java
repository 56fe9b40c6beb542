package io.inferwatch.probes.reports;

import io.inferwatch.probes.identity.ReplicaIdentity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whose report it is.
 *
 * @param replica stable slot of the serving process
 * @param known the rest, where it is the replica that the probe watches
 */
record Reporter(String replica, Optional<ReplicaIdentity> known) {
    /**
     * The reporter that a report names, else the replica that the probe watches.
     *
     * @throws BadReportException when there is neither
     */
    static Reporter of(@Nullable String named, Optional<ReplicaIdentity> watched) throws BadReportException {
        if (named == null || watched.map(ReplicaIdentity::replica).equals(Optional.of(named))) {
            String replica = watched.map(ReplicaIdentity::replica)
                    .orElseThrow(() -> new BadReportException(
                            "replica: must be named, since this probe does not watch a single one, found nothing"));
            return new Reporter(replica, watched);
        }
        return new Reporter(named, Optional.empty());
    }
}
