package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.EventLayout;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.TextTable;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The dimensions that tell cells apart, those of all views together, and how a view's values are put together from a cell's. A cell's
 * key is one number a dimension: of a text in the row's table, or of a bucket; -1 where the event has no value.
 */
final class CellLayout {

    /** How one dimension's number is read from a row. */
    private sealed interface Reader {
        int read(RequestRow row);
    }

    private record TextReader(int slot) implements Reader {
        @Override
        public int read(RequestRow row) {
            return row.text(slot);
        }
    }

    private record BucketReader(int slot, int shareOfSlot, Presence when, long[] edges) implements Reader {
        @Override
        public int read(RequestRow row) {
            long value = row.number(slot);
            if (value == RequestRow.ABSENT || when.isMissing(row)) {
                return -1;
            }
            if (shareOfSlot >= 0) {
                long whole = row.number(shareOfSlot);
                if (whole == RequestRow.ABSENT) {
                    return -1;
                }
                value = 100 * value / Math.max(1, whole);
            }
            int bucket = 0;
            while (bucket < edges.length && value >= edges[bucket]) {
                bucket++;
            }
            return bucket;
        }
    }

    /** A view's dimension by the cell dimensions that it is made of: one, or two for a product. */
    private record Source(GroupingDimension dimension, int first, int second) {}

    /** A view and where its values come from. */
    record Grouping(View view, List<Source> sources) {

        /** Whether the view takes a cell, which may lack values. */
        boolean takes(int[] cells, int at) {
            if (view.knownOnly()) {
                for (Source source : sources) {
                    if (cells[at + source.first] < 0 || (source.second >= 0 && cells[at + source.second] < 0)) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** Three numbers of at most 21 bits: the view's values of a cell. */
        long key(int[] cells, int at) {
            long key = 0;
            for (Source source : sources) {
                int number = cells[at + source.first] + 1;
                if (source.second >= 0) {
                    number = number * MAX_BUCKETS + cells[at + source.second] + 1;
                }
                key = (key << KEY_BITS) | number;
            }
            return key;
        }

        /** The view's values of a cell, as texts. */
        String[] values(int[] cells, int at, TextTable texts) {
            String[] values = new String[sources.size()];
            for (int i = 0; i < values.length; i++) {
                Source source = sources.get(i);
                int number = cells[at + source.first];
                if (source.dimension instanceof GroupingDimension.Values) {
                    values[i] = number < 0 ? GroupingDimension.NONE : texts.text(number);
                } else if (source.dimension instanceof GroupingDimension.Buckets buckets) {
                    values[i] = label(buckets, number);
                } else if (source.dimension instanceof GroupingDimension.Product product) {
                    values[i] =
                            label(product.first(), number) + "." + label(product.second(), cells[at + source.second]);
                }
            }
            return values;
        }

        private static String label(GroupingDimension.Buckets buckets, int number) {
            return number < 0 ? GroupingDimension.NONE : buckets.labels().get(number);
        }
    }

    /** A text table renews itself before it holds this many. */
    private static final int KEY_BITS = 21;

    private static final int MAX_BUCKETS = 64;

    private final Reader[] readers;
    private final List<Grouping> groupings;

    private CellLayout(Reader[] readers, List<Grouping> groupings) {
        this.readers = readers;
        this.groupings = groupings;
    }

    static CellLayout of(MetricCatalogue catalogue, EventLayout events) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        List<Reader> readers = new ArrayList<>();
        List<Grouping> groupings = new ArrayList<>();
        for (View view : catalogue.views()) {
            if (view.of() != Metric.Origin.REQUESTS) {
                continue;
            }
            List<Source> sources = new ArrayList<>();
            for (GroupingDimension dimension : view.by()) {
                if (dimension instanceof GroupingDimension.Product product) {
                    sources.add(new Source(
                            product,
                            number(product.first(), events, numbers, readers),
                            number(product.second(), events, numbers, readers)));
                } else {
                    sources.add(new Source(dimension, number(dimension, events, numbers, readers), -1));
                }
            }
            groupings.add(new Grouping(view, List.copyOf(sources)));
        }
        return new CellLayout(readers.toArray(Reader[]::new), List.copyOf(groupings));
    }

    /** Numbers in a cell's key. */
    int width() {
        return readers.length;
    }

    /** Reads a row's cell key. */
    void read(RequestRow row, int[] key) {
        for (int i = 0; i < readers.length; i++) {
            key[i] = readers[i].read(row);
        }
    }

    /** The views, in the catalogue's order. */
    List<Grouping> groupings() {
        return groupings;
    }

    private static int number(
            GroupingDimension dimension, EventLayout events, Map<String, Integer> numbers, List<Reader> readers) {
        return numbers.computeIfAbsent(dimension.name(), name -> {
            if (dimension instanceof GroupingDimension.Values values) {
                readers.add(new TextReader(events.text(values.field())));
            } else if (dimension instanceof GroupingDimension.Buckets buckets) {
                readers.add(new BucketReader(
                        events.number(buckets.field()),
                        buckets.shareOf().map(events::number).orElse(-1),
                        Presence.of(buckets.when(), events),
                        buckets.edges().stream().mapToLong(Long::longValue).toArray()));
            } else {
                throw new IllegalArgumentException("a product of products: " + name);
            }
            return readers.size() - 1;
        });
    }
}
