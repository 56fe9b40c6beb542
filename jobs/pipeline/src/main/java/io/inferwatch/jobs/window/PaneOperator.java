package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.EventLayout;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.TextTable;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.time.Duration;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Pre-aggregates events where they are read: one cell for each combination of dimension values seen in a pane. When a pane is flushed,
 * its cells fan out to the views and one {@link Partial} leaves for each series.
 *
 * <p>A pane is flushed before the watermark that ends it is forwarded, so that no partial is ever late downstream. Most of it leaves sooner, when the watermark
 * still lacks four fifths of its delay to the pane's end: nearly all of its events are there by then, and only the few that are more out of order make
 * work in the moment in which everybody waits for the window. All panes are flushed
 * at a checkpoint barrier (there is no state), at the end of the input, when {@value #MAX_CELLS} cells are held, and when the texts'
 * numbering starts anew. Events for panes that have ended already, within the allowed lateness, are gathered for
 * {@value #LATE_FLUSH_MILLIS} ms of event time, so that a trickle does not revise a window with each of its events.
 */
final class PaneOperator extends AbstractStreamOperator<Partial>
        implements OneInputStreamOperator<RequestRow, Partial>, BoundedOneInput {
    /** Event time for which late events are gathered. */
    static final long LATE_FLUSH_MILLIS = 5_000;

    private static final long serialVersionUID = 1;
    private static final int MAX_CELLS = 20_000;

    private final String catalogueYaml;
    private final Goodput goodput;
    private final long foreMillis;

    private transient @Nullable Working working;

    PaneOperator(String catalogueYaml, Goodput goodput, Duration watermarkDelay) {
        this.catalogueYaml = catalogueYaml;
        this.goodput = goodput;
        this.foreMillis = watermarkDelay.toMillis() * 4 / 5;
    }

    /** What a running task holds. */
    private static final class Working {
        final MetricLayout metrics;
        final CellLayout cells;
        final CellFiller filler;
        final FanOut fanOut;
        final int trafficSlot;
        final int[] key;
        final StreamRecord<Partial> output = new StreamRecord<>(null);
        final Counter flushes;
        final Counter partials;
        final Panes production;
        final Panes synthetic;

        @Nullable
        TextTable texts;

        int generation;
        long watermark = Long.MIN_VALUE;

        Working(MetricCatalogue catalogue, Goodput goodput, Counter flushes, Counter partials) {
            EventLayout events = EventLayout.of(catalogue);
            metrics = MetricLayout.of(catalogue, Metric.Origin.REQUESTS);
            cells = CellLayout.of(catalogue, events);
            filler = new CellFiller(catalogue, events, metrics, goodput);
            fanOut = new FanOut(metrics, cells);
            trafficSlot = events.number("traffic");
            key = new int[cells.width()];
            this.flushes = flushes;
            this.partials = partials;
            production = new Panes(false, paneMillis(catalogue, false), cells.width());
            synthetic = new Panes(true, paneMillis(catalogue, true), cells.width());
        }

        private static long paneMillis(MetricCatalogue catalogue, boolean synthetic) {
            return catalogue.views().stream()
                    .filter(view -> view.of() == Metric.Origin.REQUESTS && view.synthetic() == synthetic)
                    .map(View::pane)
                    .mapToLong(Duration::toMillis)
                    .min()
                    .orElse(Duration.ofSeconds(10).toMillis());
        }
    }

    /** The open panes of one kind of traffic. */
    private static final class Panes {
        final boolean synthetic;
        final long paneMillis;
        final int width;
        final TreeMap<Long, CellTable> byEnd = new TreeMap<>();

        @Nullable
        CellTable last;

        long lastEnd = Long.MIN_VALUE;
        long lateFlushDueAt = Long.MIN_VALUE;

        /** End of the newest pane most of which has left before its end. */
        long foreEnd = Long.MIN_VALUE;

        Panes(boolean synthetic, long paneMillis, int width) {
            this.synthetic = synthetic;
            this.paneMillis = paneMillis;
            this.width = width;
        }

        CellTable at(long eventMillis) {
            long end = eventMillis - Math.floorMod(eventMillis, paneMillis) + paneMillis;
            CellTable pane = last;
            if (pane == null || end != lastEnd) {
                pane = byEnd.computeIfAbsent(end, e -> new CellTable(width));
                last = pane;
                lastEnd = end;
            }
            return pane;
        }

        int cells() {
            int cells = 0;
            for (CellTable pane : byEnd.values()) {
                cells += pane.size();
            }
            return cells;
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        working = new Working(
                MetricCatalogue.parse("metric catalogue", catalogueYaml),
                goodput,
                getMetricGroup().counter("pane_flushes_total"),
                getMetricGroup().counter("partials_total"));
    }

    @Override
    public void processElement(StreamRecord<RequestRow> element) {
        Working w = working();
        RequestRow row = element.getValue();
        if (w.texts != row.table() || w.generation != row.table().generation()) {
            flushAll();
            w.texts = row.table();
            w.generation = row.table().generation();
        }
        boolean request = row.kind() == RequestRow.Kind.REQUEST;
        boolean synthetic = request && row.number(w.trafficSlot) == Traffic.SYNTHETIC.ordinal();
        CellTable pane = (synthetic ? w.synthetic : w.production).at(element.getTimestamp());
        w.cells.read(row, w.key);
        int before = pane.size();
        WindowContent content = pane.content(pane.cell(w.key, w.metrics));
        if (request) {
            w.filler.addRequest(row, content);
        } else {
            w.filler.addHeartbeat(row, content);
        }
        if (pane.size() > before && w.production.cells() + w.synthetic.cells() >= MAX_CELLS) {
            flushAll();
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        Working w = working();
        flushEnded(w.production, mark.getTimestamp());
        flushEnded(w.synthetic, mark.getTimestamp());
        w.watermark = mark.getTimestamp();
        super.processWatermark(mark);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
        flushAll();
    }

    @Override
    public void endInput() {
        flushAll();
    }

    private void flushEnded(Panes panes, long reached) {
        Working w = working();
        // Panes that had ended by the watermark before hold late events.
        boolean lateDue = panes.lateFlushDueAt <= reached;
        var entries = panes.byEnd.entrySet().iterator();
        boolean removed = false;
        while (entries.hasNext()) {
            var entry = entries.next();
            long lastMillis = entry.getKey() - 1;
            if (lastMillis - foreMillis > reached) {
                break;
            }
            boolean due = lastMillis <= reached ? lastMillis > w.watermark || lateDue : entry.getKey() > panes.foreEnd;
            if (due) {
                flush(panes, entry.getKey(), entry.getValue());
                entries.remove();
                removed = true;
                panes.foreEnd = Math.max(panes.foreEnd, entry.getKey());
            }
        }
        if (lateDue && reached < Long.MAX_VALUE) {
            panes.lateFlushDueAt = reached + LATE_FLUSH_MILLIS;
        }
        if (removed) {
            panes.last = null;
        }
    }

    private void flushAll() {
        Working w = working();
        for (Panes panes : new Panes[] {w.production, w.synthetic}) {
            panes.byEnd.forEach((end, pane) -> flush(panes, end, pane));
            panes.byEnd.clear();
            panes.last = null;
        }
    }

    private void flush(Panes panes, long paneEndMillis, CellTable pane) {
        Working w = working();
        TextTable texts = w.texts;
        if (texts == null) {
            throw new IllegalStateException("a pane without a row");
        }
        w.flushes.inc();
        w.fanOut.flush(pane, panes.synthetic, paneEndMillis, texts, partial -> {
            w.partials.inc();
            output.collect(w.output.replace(partial, paneEndMillis - 1));
        });
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }
}
