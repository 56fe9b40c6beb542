package io.inferwatch.jobs.store;

import io.inferwatch.jobs.ingest.InboundRecord;

/**
 * A point on its way to InfluxDB.
 *
 * @param policy name of the retention policy
 * @param identity series and time: two points that share it overwrite each other
 * @param line its line
 * @param requests the window's requests; of two points of one identity the one with more is the truer
 * @param revision decides between equal requests
 * @param origin the record that it was made from, for the dead letter should it be refused
 */
public record StoredPoint(
        String policy, String identity, String line, long requests, int revision, InboundRecord origin) {

    /** Whether this point is at least as true as another of the same identity. */
    public boolean supersedes(StoredPoint other) {
        return requests > other.requests || (requests == other.requests && revision >= other.revision);
    }
}
