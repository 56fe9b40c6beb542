package io.inferwatch.probes.reports;

import io.inferwatch.probes.identity.ReplicaIdentity;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Who may report: the replica that the probe watches, and others and their GPUs up to a limit, since each has totals and a stream of its own for as long as the
 * probe runs. Thread safe.
 */
final class KnownReporters {
    static final int MAX_NAMES = 4_000;

    private static final int MAX_CHARACTERS = 256;

    private final Optional<ReplicaIdentity> watched;
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    KnownReporters(Optional<ReplicaIdentity> watched) {
        this.watched = watched;
    }

    /**
     * The reporter that a report names, else the replica that the probe watches.
     *
     * @throws BadReportException when there is neither, or no room for one more
     */
    Reporter reporter(@Nullable String named) throws BadReportException {
        if (named == null || watched.map(ReplicaIdentity::replica).equals(Optional.of(named))) {
            String replica = watched.map(ReplicaIdentity::replica)
                    .orElseThrow(() -> new BadReportException(
                            "replica: must be named, since this probe does not watch a single one, found nothing"));
            return new Reporter(replica, watched);
        }
        return new Reporter(admit("replica", named), Optional.empty());
    }

    /** The name, if it is known or there is room for it. */
    String admit(String key, String name) throws BadReportException {
        if (name.length() > MAX_CHARACTERS) {
            throw new BadReportException(
                    key + ": must be at most " + MAX_CHARACTERS + " characters, found " + name.length());
        }
        if (!names.contains(key + name)) {
            if (names.size() >= MAX_NAMES) {
                throw new BadReportException(key + ": must be one of the first " + MAX_NAMES
                        + " names that were reported here, found '" + name + "'");
            }
            names.add(key + name);
        }
        return name;
    }
}
