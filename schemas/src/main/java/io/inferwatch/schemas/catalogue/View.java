package io.inferwatch.schemas.catalogue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A grouping of events: one series for each combination of its dimensions' values.
 *
 * @param name tag {@code view} of points
 * @param of the kind of event that it groups; of requests it also keeps the gauges of heartbeats
 * @param by its dimensions, at most three
 * @param metrics the metrics kept; all when empty
 * @param synthetic whether it takes synthetic traffic instead of production's
 * @param pane the shortest window
 * @param knownOnly whether events that lack one of its dimensions are left out, instead of being counted under {@code none}
 * @param maxSeries combinations told apart; later ones go to the series of {@code other}
 * @param storeShortest whether the shortest windows are stored as points, not those of a minute and an hour alone
 * @param storeSketches whether one-minute points carry sketches
 * @param drift whether its series are watched for drift
 * @param anomaly whether its series are watched for anomalies
 * @param peers the dimension whose values do the same work, all else equal: a straggler among them is found where series are watched for anomalies
 * @param mix the dimension that tells what kind of traffic it is: drift is then watched over all its values together, and adjusted for it
 */
public record View(
        String name,
        Metric.Origin of,
        List<GroupingDimension> by,
        Set<String> metrics,
        boolean synthetic,
        Duration pane,
        boolean knownOnly,
        int maxSeries,
        boolean storeShortest,
        boolean storeSketches,
        boolean drift,
        boolean anomaly,
        Optional<String> peers,
        Optional<String> mix) {

    /** A view with unmodifiable collections. */
    public View {
        by = List.copyOf(by);
        metrics = Set.copyOf(metrics);
    }

    /** Whether the view keeps that metric. */
    public boolean keeps(Metric metric) {
        return metric.of().views() == of && (metrics.isEmpty() || metrics.contains(metric.name()));
    }

    /** The names of its dimensions, in order. */
    public List<String> dimensionNames() {
        return by.stream().map(GroupingDimension::name).toList();
    }
}
