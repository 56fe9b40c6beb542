package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.TextTable;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Merges the cells of a pane into the series of each view: one partial a series. */
final class FanOut {
    private static final String REPLICA = "replica";

    private final MetricLayout metrics;
    private final CellLayout cells;

    /** For each view, which sums, quantiles and gauges it keeps. */
    private final List<Kept> kept;

    private record Kept(int[] sums, int[] quantiles, int[] gauges) {
        static Kept by(View view, MetricLayout metrics) {
            // A gauge is a replica's state: over several of them "last" would be a lottery.
            boolean tellsReplicas = view.dimensionNames().contains(REPLICA);
            return new Kept(
                    numbers(view, metrics.sums()),
                    numbers(view, metrics.quantiles()),
                    tellsReplicas ? numbers(view, metrics.gauges()) : new int[0]);
        }

        private static int[] numbers(View view, List<Metric> metrics) {
            return metrics.stream()
                    .filter(view::keeps)
                    .mapToInt(metrics::indexOf)
                    .toArray();
        }
    }

    private record Group(int firstCell, WindowContent content) {}

    FanOut(MetricLayout metrics, CellLayout cells) {
        this.metrics = metrics;
        this.cells = cells;
        this.kept = cells.groupings().stream()
                .map(grouping -> Kept.by(grouping.view(), metrics))
                .toList();
    }

    /** Hands on the partials of a pane, view by view. */
    void flush(CellTable pane, boolean synthetic, long paneEndMillis, TextTable texts, Consumer<Partial> out) {
        List<Map<Long, Group>> groupsByView = new ArrayList<>();
        for (CellLayout.Grouping grouping : cells.groupings()) {
            groupsByView.add(grouping.view().synthetic() == synthetic ? new HashMap<>() : Map.of());
        }
        // Cell by cell, not view by view: a cell's sketches stay in the processor's caches while all views take them.
        for (int cell = 0; cell < pane.size(); cell++) {
            for (int v = 0; v < kept.size(); v++) {
                CellLayout.Grouping grouping = cells.groupings().get(v);
                if (grouping.view().synthetic() == synthetic && grouping.takes(pane.keys(), cell * cells.width())) {
                    int firstCell = cell;
                    Group group = groupsByView
                            .get(v)
                            .computeIfAbsent(
                                    spread(grouping.key(pane.keys(), cell * cells.width())),
                                    key -> new Group(firstCell, new WindowContent(metrics)));
                    Kept numbers = kept.get(v);
                    group.content.merge(pane.content(cell), numbers.sums, numbers.quantiles, numbers.gauges);
                }
            }
        }
        for (int v = 0; v < kept.size(); v++) {
            CellLayout.Grouping grouping = cells.groupings().get(v);
            for (Group group : groupsByView.get(v).values()) {
                if (!group.content.isEmpty()) {
                    out.accept(new Partial(
                            grouping.view().name(),
                            grouping.values(pane.keys(), group.firstCell * cells.width(), texts),
                            paneEndMillis,
                            group.content.encode()));
                }
            }
        }
    }

    /** One to one, so that keys that differ in high bits only do not meet in a hash table. */
    private static long spread(long key) {
        long product = key * 0x9E3779B97F4A7C15L;
        return product ^ (product >>> 32);
    }
}
