package io.inferwatch.analytics.anomaly;

/**
 * What a window says of a replica among its peers, in the series' own unit.
 *
 * @param observed its value
 * @param peers the others' median
 * @param expected where it usually is among them now
 * @param score how far it is out of place, in limits of all three rules; above 1 is out of place
 * @param began whether it has become a straggler with this window
 * @param ended whether it is no straggler any more with this window
 * @param history what is remembered from now on
 */
public record PeerJudgement(
        double observed,
        double peers,
        double expected,
        double score,
        boolean began,
        boolean ended,
        PeerHistory history) {}
