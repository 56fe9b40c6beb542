package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.PageReader;
import java.util.Arrays;

/**
 * The present value of one series, or of all ranks of it, whose greatest counts. For a counter also what it stood at on the last page of each process, and the
 * increase since it was last taken.
 */
final class Cell implements Series.Use {
    private final int part;

    private double value;
    private long page;
    private long atMillis = PageReader.NO_TIME;
    private double last = Double.NaN;
    private double[] lastOfOthers = {};
    private double beforeFall = Double.NaN;
    private double increase;

    private boolean begun;

    /** For one of the parts of a sum. */
    Cell(int part) {
        this.part = part;
    }

    int part() {
        return part;
    }

    /** Whether this is the first call. */
    boolean begin() {
        boolean isFirst = !begun;
        begun = true;
        return isFirst;
    }

    @Override
    public void take(double read, long readAtMillis, long readPage) {
        value = page == readPage ? Math.max(value, read) : read;
        page = readPage;
        atMillis = readAtMillis;
    }

    boolean isOn(long readPage) {
        return page == readPage;
    }

    double value() {
        return value;
    }

    /** The series' own time, or {@link PageReader#NO_TIME}. */
    long atMillis() {
        return atMillis;
    }

    /**
     * Takes the value of the present page as that of a process.
     *
     * @param process its number
     * @param fromZero whether a series that is new there began at 0 after the page before
     * @return whether it fell
     */
    boolean count(int process, boolean fromZero) {
        double before = last(process);
        setLast(process, value);
        boolean fell = value < before;
        beforeFall = fell ? before : Double.NaN;
        if (Double.isNaN(before)) {
            increase += fromZero ? value : 0;
        } else {
            increase += fell ? value : value - before;
        }
        return fell;
    }

    /** Whether a fall on the page before was none, for the value stands as high again. */
    boolean isBack() {
        return value >= beforeFall;
    }

    /** Forgets a process. */
    void forget(int process) {
        if (process <= lastOfOthers.length) {
            setLast(process, Double.NaN);
        }
    }

    /** What was counted since the last call. */
    double takeIncrease() {
        double taken = increase;
        increase = 0;
        return taken;
    }

    /** Nearly every target has one process: its value is at hand, those of others are in an array. */
    private double last(int process) {
        if (process == 0) {
            return last;
        }
        return process <= lastOfOthers.length ? lastOfOthers[process - 1] : Double.NaN;
    }

    private void setLast(int process, double stood) {
        if (process == 0) {
            last = stood;
            return;
        }
        int known = lastOfOthers.length;
        if (process > known) {
            lastOfOthers = Arrays.copyOf(lastOfOthers, process);
            Arrays.fill(lastOfOthers, known, process, Double.NaN);
        }
        lastOfOthers[process - 1] = stood;
    }
}
