package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.TextTable;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.View;
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
        for (int v = 0; v < kept.size(); v++) {
            CellLayout.Grouping grouping = cells.groupings().get(v);
            if (grouping.view().synthetic() != synthetic) {
                continue;
            }
            Map<Long, Group> groups = new HashMap<>();
            for (int cell = 0; cell < pane.size(); cell++) {
                int firstCell = cell;
                Group group = groups.computeIfAbsent(
                        grouping.key(pane.keys(), cell * cells.width()),
                        key -> new Group(firstCell, new WindowContent(metrics)));
                Kept numbers = kept.get(v);
                group.content.merge(pane.content(cell), numbers.sums, numbers.quantiles, numbers.gauges);
            }
            for (Group group : groups.values()) {
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
}
