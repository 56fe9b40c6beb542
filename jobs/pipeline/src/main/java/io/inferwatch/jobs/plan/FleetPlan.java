package io.inferwatch.jobs.plan;

import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.GroupingDimension.Buckets;
import io.inferwatch.schemas.catalogue.GroupingDimension.Product;
import io.inferwatch.schemas.catalogue.GroupingDimension.Values;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a fleet uses up, at most: every combination of its dimensions' values is taken to be there, and to have events in every window.
 *
 * <ul>
 *   <li>Series of a view: the product of its dimensions' values, no more than its {@code max-series}. A dimension beyond its limit has one value
 *       more, {@code other}. A replica and a GPU are on one node, and a replica serves one model; a limit or number that holds for each model counts
 *       once for each of them, unless the view has the model, or the replica. Views of synthetic traffic count when {@code run} is given.
 *   <li>Points a second: one for each series and stored length: 10 s, where the view asks for it, a minute, an hour.
 *   <li>State: {@link #STATE_BYTES_PER_SERIES} for each series.
 *   <li>InfluxDB a day: {@link #BRIEF_POINT_BYTES} for a point of ten seconds, {@link #WIDE_POINT_BYTES} for a longer one, and {@link
 *       #STORED_SKETCHES_BYTES} more for a minute's where the view stores sketches.
 *   <li>Kafka a day, before its replication and compression: {@link #EVENT_BYTES} for a request, {@link #BRIEF_WINDOW_BYTES} and {@link
 *       #LONG_WINDOW_BYTES} for a window, which is published in every length, stored or not. Samples are not counted.
 * </ul>
 *
 * @param views in the catalogue's order
 */
public record FleetPlan(List<ViewPlan> views, Map<Quantity, Double> totals) {
    /** Panes and minutes of ten minutes of lateness, and an hour, at thirty requests a second. Measured on 2026-11-30 by {@code bench sizing}. */
    static final long STATE_BYTES_PER_SERIES = 220_000;

    /** On disk in InfluxDB 1.6, compacted, of 10 counts and 20 values that are all different; of 36 and 94. Measured on 2026-11-30. */
    static final long BRIEF_POINT_BYTES = 175;

    static final long WIDE_POINT_BYTES = 880;

    /** Five sketches of 600 values: 379 bytes each, as text. */
    static final long STORED_SKETCHES_BYTES = 2_600;

    /** With 50 of its 86 fields filled. */
    static final long EVENT_BYTES = 332;

    /** Nine distributions of 100 requests, and of 600. */
    static final long BRIEF_WINDOW_BYTES = 2_000;

    static final long LONG_WINDOW_BYTES = 3_800;

    private static final double PER_MINUTE = 1 / 60.0;
    private static final double PER_HOUR = 1 / 3600.0;
    private static final double DAY = 86_400;
    private static final double MEGA = 1e6;

    /** What one view uses up. */
    public record ViewPlan(String name, long series, double briefPointsPerSecond, double widePointsPerSecond) {}

    /** A plan with unmodifiable collections. */
    public FleetPlan {
        views = List.copyOf(views);
        totals = Map.copyOf(totals);
    }

    /** The plan of a fleet. */
    public static FleetPlan of(Fleet fleet, MetricCatalogue catalogue) {
        List<ViewPlan> views = new ArrayList<>();
        double series = 0;
        double brief = 0;
        double wide = 0;
        double sketches = 0;
        double briefWindows = 0;
        for (View view : catalogue.views()) {
            if (view.synthetic() && !fleet.values().containsKey("run")) {
                continue;
            }
            long count = series(view, fleet);
            double perPane = 1000.0 / view.pane().toMillis();
            ViewPlan plan = new ViewPlan(
                    view.name(), count, view.storeShortest() ? count * perPane : 0, count * (PER_MINUTE + PER_HOUR));
            views.add(plan);
            series += count;
            brief += plan.briefPointsPerSecond;
            wide += plan.widePointsPerSecond;
            sketches += view.storeSketches() ? count * PER_MINUTE : 0;
            briefWindows += count * perPane;
        }
        Map<Quantity, Double> totals = new EnumMap<>(Quantity.class);
        totals.put(Quantity.SERIES, series);
        totals.put(Quantity.STATE_MEGABYTES, series * STATE_BYTES_PER_SERIES / MEGA);
        totals.put(Quantity.POINTS_PER_SECOND, brief + wide);
        totals.put(
                Quantity.INFLUXDB_MEGABYTES_PER_DAY,
                (brief * BRIEF_POINT_BYTES + wide * WIDE_POINT_BYTES + sketches * STORED_SKETCHES_BYTES) * DAY / MEGA);
        totals.put(
                Quantity.KAFKA_MEGABYTES_PER_DAY,
                (fleet.requestsPerSecond() * EVENT_BYTES + briefWindows * BRIEF_WINDOW_BYTES + wide * LONG_WINDOW_BYTES)
                        * DAY
                        / MEGA);
        return new FleetPlan(views, totals);
    }

    /** What exceeds the fleet's budget, as {@code key: must be at most ..., found ...}. */
    public List<String> excesses(Fleet fleet) {
        List<String> excesses = new ArrayList<>();
        for (Quantity quantity : Quantity.values()) {
            Long limit = fleet.budget().get(quantity);
            double found = total(quantity);
            if (limit != null && found > limit) {
                excesses.add("budget.%s: must be at least %,.0f, found %,d"
                        .formatted(quantity.key(), Math.ceil(found), limit));
            }
        }
        return excesses;
    }

    /** The total of one quantity. */
    public double total(Quantity quantity) {
        return totals.getOrDefault(quantity, 0.0);
    }

    private static long series(View view, Fleet fleet) {
        long product = 1;
        for (GroupingDimension dimension : view.by()) {
            product = Math.min(view.maxSeries(), product * count(dimension, view, fleet));
        }
        return product;
    }

    private static long count(GroupingDimension dimension, View view, Fleet fleet) {
        List<String> others = view.dimensionNames();
        if (dimension instanceof Buckets buckets) {
            return buckets.labels().size();
        }
        if (dimension instanceof Product product) {
            return (long) product.first().labels().size()
                    * product.second().labels().size();
        }
        Values values = (Values) dimension;
        boolean isFixed =
                switch (values.name()) {
                    case "model" -> others.contains("replica");
                    case "node" -> others.contains("replica") || others.contains("gpu");
                    case "replica" -> others.contains(Fleet.DEVICE);
                    default -> false;
                };
        if (isFixed) {
            return 1;
        }
        String counted = values.name().equals(Fleet.DEVICE) ? "gpu" : values.name();
        long given = fleet.values().getOrDefault(counted, 1L);
        long told = given <= values.limit() ? given : values.limit() + 1L;
        boolean isForEach =
                values.per().isPresent() && !others.contains(values.per().get()) && !others.contains("replica");
        return isForEach ? told * fleet.values().getOrDefault(values.per().get(), 1L) : told;
    }
}
