package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.panel.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The windows of replicas that have two before them, and others after where asked, without a gap. */
final class Lags {
    private final List<List<CaptureWindow>> replicas;

    Lags(List<List<CaptureWindow>> replicas) {
        this.replicas = replicas;
    }

    /** What is made of a window. */
    interface Maker<T> {
        /** Of windows t - 2 to t, and further ones where asked for. */
        T of(List<CaptureWindow> windows, int t);
    }

    /** A number of the window that is so many before; after, where that is negative. */
    record Column(ToDoubleFunction<CaptureWindow> value, int lag) {
        double of(List<CaptureWindow> windows, int t) {
            return value.applyAsDouble(windows.get(t - lag));
        }
    }

    /** One of each window, by replica. */
    <T> List<List<T>> map(int leads, Maker<T> maker) {
        List<List<T>> all = new ArrayList<>();
        for (List<CaptureWindow> windows : replicas) {
            List<T> made = new ArrayList<>();
            for (int t = 2; t + leads < windows.size(); t++) {
                if (windows.get(t + leads).number() - windows.get(t - 2).number() == leads + 2L) {
                    made.add(maker.of(windows, t));
                }
            }
            all.add(made);
        }
        return all;
    }

    /**
     * Rows of an outcome by columns. Of those behind the required ones only what varies in some replica is taken: free memory does not where
     * engines take all of it.
     */
    List<List<Row>> rows(
            ToDoubleFunction<CaptureWindow> outcome,
            ToDoubleFunction<CaptureWindow> exposure,
            int required,
            List<Column> columns) {
        int leads = columns.stream().mapToInt(column -> -column.lag).max().orElse(0);
        List<Column> taken = new ArrayList<>(columns.subList(0, required));
        columns.subList(required, columns.size()).stream()
                .filter(column -> varies(Math.max(0, leads), column))
                .forEach(taken::add);
        return map(
                Math.max(0, leads),
                (windows, t) -> new Row(
                        outcome.applyAsDouble(windows.get(t)),
                        exposure.applyAsDouble(windows.get(t)),
                        taken.stream()
                                .mapToDouble(column -> column.of(windows, t))
                                .toArray()));
    }

    /** All values of a column, rising. */
    double[] sorted(Column column) {
        double[] values = map(0, column::of).stream()
                .flatMap(List::stream)
                .mapToDouble(Double::doubleValue)
                .toArray();
        Arrays.sort(values);
        return values;
    }

    private boolean varies(int leads, Column column) {
        return map(leads, column::of).stream()
                .anyMatch(replica -> replica.stream().distinct().count() > 1);
    }
}
