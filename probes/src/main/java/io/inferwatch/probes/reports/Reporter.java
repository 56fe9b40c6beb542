package io.inferwatch.probes.reports;

import io.inferwatch.probes.identity.ReplicaIdentity;
import java.util.Optional;

/**
 * Whose report it is.
 *
 * @param replica stable slot of the serving process
 * @param known the rest, where it is the replica that the probe watches
 */
record Reporter(String replica, Optional<ReplicaIdentity> known) {}
