package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.catalogue.Watch;
import io.inferwatch.schemas.settings.Settings;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is asked: the latest verdict on each key of a view that is watched for drift.
 *
 * @param view the smallest such view that tells the dimensions asked for apart
 * @param tags what tells its keys apart: its dimensions without that of the mix
 * @param statistic that alone, if any
 */
record StandingRequest(
        String metric, View view, List<String> tags, Optional<String> statistic, Instant from, Instant to) {
    StandingRequest {
        tags = List.copyOf(tags);
    }

    /**
     * A request that the catalogue's views can meet.
     *
     * @throws InvalidRequestException with what it cannot meet and the nearest that it can
     */
    static StandingRequest of(
            MetricCatalogue catalogue,
            String metric,
            Optional<String> statistic,
            List<String> by,
            Instant from,
            Instant to) {
        List<Watch> watched = catalogue.drift().of();
        List<String> metrics = watched.stream().map(Watch::metric).distinct().toList();
        requireKnown("--metric", "one that is watched for drift (%s)", metric, metrics);
        List<String> statistics = watched.stream()
                .filter(watch -> watch.metric().equals(metric))
                .map(watch -> watch.statistic().label())
                .toList();
        statistic.ifPresent(
                label -> requireKnown("--statistic", "one that is watched of " + metric + " (%s)", label, statistics));
        if (!from.isBefore(to)) {
            throw new InvalidRequestException("--from, --to: must be in this order, found " + from + " to " + to);
        }
        View view = view(catalogue, metric, by);
        return new StandingRequest(metric, view, tags(view), statistic, from, to);
    }

    private static View view(MetricCatalogue catalogue, String metric, List<String> by) {
        List<View> watched = catalogue.views().stream()
                .filter(view -> view.drift() && catalogue.keeps(view, metric))
                .toList();
        Set<String> known = new TreeSet<>();
        watched.forEach(view -> known.addAll(tags(view)));
        new LinkedHashSet<>(by).forEach(dimension -> requireKnown("--by", "of %s", dimension, known));
        return watched.stream()
                .filter(view -> tags(view).containsAll(by))
                .min(Comparator.comparingInt((View view) -> tags(view).size()).thenComparingInt(View::maxSeries))
                .orElseThrow(() ->
                        new InvalidRequestException("--by: must be dimensions of one view that is watched for drift ("
                                + String.join(
                                        "; ",
                                        watched.stream()
                                                .map(view ->
                                                        tags(view).isEmpty() ? "none" : String.join(",", tags(view)))
                                                .toList())
                                + "), found " + String.join(",", by)));
    }

    private static List<String> tags(View view) {
        return view.dimensionNames().stream()
                .filter(name -> !view.mix().equals(Optional.of(name)))
                .toList();
    }

    /** The rule has a place for all that is known. */
    private static void requireKnown(String option, String rule, String name, Collection<String> known) {
        if (!known.contains(name)) {
            throw new InvalidRequestException(option + ": must be " + rule.formatted(String.join(", ", known))
                    + ", found '" + name + "'" + Settings.nearest(name, known));
        }
    }
}
