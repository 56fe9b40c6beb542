package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.PageReader;
import io.inferwatch.probes.engine.mapping.Selector;
import io.inferwatch.probes.engine.mapping.Signal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A number that a target tells, over all its series and names. */
final class ValueState {
    private final Signal.Value signal;
    private final List<Name> names = new ArrayList<>();
    private double total;

    /** One name that it has, of which the first that is on a page counts. */
    private static final class Name {
        private final String text;
        private final int parts;
        private final Map<List<String>, Cell> cells = new HashMap<>();

        Name(List<Selector> sum) {
            parts = sum.size();
            text = String.join(" + ", sum.stream().map(Selector::series).toList());
        }
    }

    /** A reading of a page. */
    record Reading(double value, long atMillis, String series) {}

    ValueState(Signal.Value signal) {
        this.signal = signal;
        signal.names().forEach(sum -> names.add(new Name(sum)));
    }

    Signal.Value signal() {
        return signal;
    }

    boolean isCounter() {
        return signal.kind() == Signal.Kind.COUNTER;
    }

    /**
     * The cell of a series.
     *
     * @param name which of the names it has
     * @param part which part of that name's sum it is
     * @param key what tells it from others of this part
     */
    Cell cell(int name, int part, List<String> key) {
        List<String> whole = new ArrayList<>(key);
        whole.add(Integer.toString(part));
        return names.get(name).cells.computeIfAbsent(List.copyOf(whole), absent -> new Cell(part));
    }

    /** Those cells that a page had, of all names. */
    List<Cell> cells(long page) {
        List<Cell> found = new ArrayList<>();
        for (Name name : names) {
            for (Cell cell : name.cells.values()) {
                if (cell.isOn(page)) {
                    found.add(cell);
                }
            }
        }
        return found;
    }

    /** Whether a value is possible. */
    boolean isPossible(double value) {
        return value >= signal.least() && value <= signal.most();
    }

    /** Adds what was counted since the last call, by the present name; other names tell the same once more. */
    void count(long page, boolean valid) {
        boolean isTaken = false;
        for (Name name : names) {
            boolean takes = !isTaken && isOn(name.cells.values(), page);
            isTaken |= takes;
            for (Cell cell : name.cells.values()) {
                double increase = cell.takeIncrease();
                total += takes && valid ? increase * signal.factor() : 0;
            }
        }
    }

    /** What the page says, in the field's unit; null when it does not say it. */
    @Nullable
    Reading reading(long page) {
        for (Name name : names) {
            Reading reading = reading(name, page);
            if (reading != null) {
                return reading;
            }
        }
        return null;
    }

    /** The same as the engine says it: a counter's own total, without a factor. */
    @Nullable
    Reading raw(long page) {
        for (Name name : names) {
            Reading reading = raw(name, page);
            if (reading != null) {
                return reading;
            }
        }
        return null;
    }

    private @Nullable Reading reading(Name name, long page) {
        Reading raw = raw(name, page);
        return raw == null
                ? null
                : new Reading(isCounter() ? total : raw.value() * signal.factor(), raw.atMillis(), raw.series());
    }

    private @Nullable Reading raw(Name name, long page) {
        double value = 0;
        boolean isFirst = true;
        long atMillis = PageReader.NO_TIME;
        int parts = 0;
        for (Cell cell : name.cells.values()) {
            if (cell.isOn(page)) {
                boolean isMax = signal.combine() == Signal.Combine.MAX && !isFirst;
                value = isMax ? Math.max(value, cell.value()) : value + cell.value();
                isFirst = false;
                parts |= 1 << cell.part();
                boolean isOlder = atMillis == PageReader.NO_TIME || cell.atMillis() < atMillis;
                atMillis = cell.atMillis() != PageReader.NO_TIME && isOlder ? cell.atMillis() : atMillis;
            }
        }
        // Half a sum is no value; a counter that was never raised may not be there yet.
        if (isFirst || (!isCounter() && Integer.bitCount(parts) != name.parts)) {
            return null;
        }
        return new Reading(value, atMillis, name.text);
    }

    private static boolean isOn(Collection<Cell> cells, long page) {
        for (Cell cell : cells) {
            if (cell.isOn(page)) {
                return true;
            }
        }
        return false;
    }
}
