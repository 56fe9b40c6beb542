package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a target tells by the labels of a series: those of its latest row, which has the greatest value. */
final class InfoState {
    private final Signal.Info signal;
    private final List<Row> rows = new ArrayList<>();

    private record Row(int name, Map<String, String> labels, Cell cell) {}

    InfoState(Signal.Info signal) {
        this.signal = signal;
    }

    Signal.Info signal() {
        return signal;
    }

    Cell row(int name, Map<String, String> labels) {
        for (Row row : rows) {
            if (row.name == name && row.labels.equals(labels)) {
                return row.cell;
            }
        }
        Row row = new Row(name, labels, new Cell(0));
        rows.add(row);
        return row.cell;
    }

    /** The labels of the present row, or null when the page has none. Rows of earlier pages are forgotten. */
    @Nullable
    Map<String, String> labels(long page) {
        Row present = null;
        for (Row row : rows) {
            boolean isNewer = present == null
                    || row.name < present.name
                    || (row.name == present.name && row.cell.value() > present.cell.value());
            present = row.cell.isOn(page) && isNewer ? row : present;
        }
        return present == null ? null : present.labels;
    }
}
