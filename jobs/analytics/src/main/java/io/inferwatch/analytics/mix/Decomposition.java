package io.inferwatch.analytics.mix;

import java.util.OptionalDouble;

/**
 * A change in two parts, which add up to it exactly.
 *
 * @param total current less baseline, in the metric's unit
 * @param rate the part that like requests changed by: the server
 * @param mix the part that the requests' own change makes: the traffic
 */
public record Decomposition(double total, double rate, double mix) {
    /** The mix's part of the change, 1 for all; below 0 or above 1 where the parts oppose each other; empty where nothing changed. */
    public OptionalDouble mixShare() {
        return total == 0 ? OptionalDouble.empty() : OptionalDouble.of(mix / total);
    }
}
