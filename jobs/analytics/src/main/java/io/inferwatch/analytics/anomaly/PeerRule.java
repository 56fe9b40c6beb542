package io.inferwatch.analytics.anomaly;

import io.inferwatch.analytics.drift.DriftRule.Direction;

/**
 * When a replica is a straggler among its peers. Differences are on the series' {@link Scale}.
 *
 * @param leastPeers others that there must be: 4, for of fewer the median deviation is no measure
 * @param sigmas how far it must be from the others, and from its own usual place among them, in spreads of each: 4
 * @param floor how far it must be from its usual place in any case: 0.1, ten percent of a latency, for of many calm peers one is always first
 * @param tooMany share of replicas out of place at once from which on it is not they that are strange but the fleet: a third
 * @param begins windows out of place, less windows in place, with which it is told: 3
 * @param most that they add up to: 6, so that it is over six windows after it ended at the latest
 * @param learnWindows until its usual place is known: 60
 * @param weight of a window in its usual place once that is known: 0.02, an hour of minutes
 * @param worse what is told: only the slow ones of latencies
 */
public record PeerRule(
        int leastPeers,
        double sigmas,
        double floor,
        double tooMany,
        int begins,
        int most,
        int learnWindows,
        double weight,
        Direction worse) {
    /** Greater is worse. */
    public static final PeerRule SLOWER = new PeerRule(4, 4, 0.1, 1.0 / 3, 3, 6, 60, 0.02, Direction.UP);

    /** The same, with the other way worse. */
    public PeerRule mirrored() {
        return new PeerRule(
                leastPeers,
                sigmas,
                floor,
                tooMany,
                begins,
                most,
                learnWindows,
                weight,
                worse == Direction.UP ? Direction.DOWN : Direction.UP);
    }

    /** The difference, with worse above zero. */
    double worse(double difference) {
        return worse == Direction.UP ? difference : -difference;
    }
}
