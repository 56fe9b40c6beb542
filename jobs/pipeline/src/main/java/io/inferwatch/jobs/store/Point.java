package io.inferwatch.jobs.store;

import io.inferwatch.influx.PointBuilder;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.ingest.InboundRecord;
import java.util.Optional;

/**
 * A point with its place and time.
 *
 * @param timeMicros epoch microseconds
 */
record Point(RetentionPolicy policy, PointBuilder content, long timeMicros) {

    /** The point on its way, if it has a field. */
    Optional<StoredPoint> store(long requests, int revision, InboundRecord origin) {
        String identity = policy.policyName() + ' ' + content.series() + ' ' + timeMicros;
        return content.line(timeMicros)
                .map(line -> new StoredPoint(policy.policyName(), identity, line, requests, revision, origin));
    }
}
