package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.Signal;
import io.inferwatch.schemas.EngineHistogram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A histogram that a target tells, over all its series and names: what was counted in each bucket since the probe began to read. A grid that changes makes
 * it begin anew; a series whose grid differs from the first one's is left out and counted.
 */
final class DistributionState {
    private final Signal.Distribution signal;
    private final List<Name> names = new ArrayList<>();
    private double[] bounds = {};
    private double[] totals = {};
    private double[] pageCounts = {};
    private double sum;
    private boolean overflowed;
    private @Nullable String series;
    private long otherGrids;

    /** The buckets of one series of a histogram, by their upper bounds, which rise. */
    private static final class Group {
        private double[] grid = {};
        private Cell[] buckets = {};
        private final Cell sum = new Cell(0);

        private Cell bucket(double upperBound) {
            int at = Arrays.binarySearch(grid, upperBound);
            if (at < 0) {
                at = -at - 1;
                double[] bounds = Arrays.copyOf(grid, grid.length + 1);
                Cell[] cells = Arrays.copyOf(buckets, bounds.length);
                System.arraycopy(grid, at, bounds, at + 1, grid.length - at);
                System.arraycopy(buckets, at, cells, at + 1, grid.length - at);
                bounds[at] = upperBound;
                cells[at] = new Cell(0);
                grid = bounds;
                buckets = cells;
            }
            return buckets[at];
        }

        private boolean isOn(long page) {
            return buckets.length > 0 && buckets[buckets.length - 1].isOn(page);
        }
    }

    private static final class Name {
        private final String text;
        private final Map<List<String>, Group> groups = new HashMap<>();

        Name(String text) {
            this.text = text;
        }
    }

    DistributionState(Signal.Distribution signal) {
        this.signal = signal;
        signal.names().forEach(sum -> names.add(new Name(sum.get(0).series())));
    }

    Signal.Distribution signal() {
        return signal;
    }

    /** The cell of a bucket. */
    Cell bucket(int name, List<String> key, double upperBound) {
        return group(name, key).bucket(upperBound);
    }

    /** The cell of the sum of all observations. */
    Cell sum(int name, List<String> key) {
        return group(name, key).sum;
    }

    private Group group(int name, List<String> key) {
        return names.get(name).groups.computeIfAbsent(List.copyOf(key), absent -> new Group());
    }

    /** Adds what was counted since the last call, by the present name. */
    void count(long page, boolean valid) {
        series = null;
        overflowed = false;
        for (Name name : names) {
            boolean takes = series == null && name.groups.values().stream().anyMatch(group -> group.isOn(page));
            if (takes) {
                series = name.text;
                Arrays.fill(pageCounts, 0);
            }
            for (Group group : name.groups.values()) {
                add(group, takes && group.isOn(page), valid);
            }
        }
    }

    private void add(Group group, boolean takes, boolean valid) {
        double[] grid = group.grid;
        boolean fits = takes && grid.length > 1;
        if (fits && !Arrays.equals(grid, bounds)) {
            // The first series of a page decides; those after it on the same page must follow.
            boolean isFirst = Arrays.stream(pageCounts).allMatch(count -> count == 0);
            if (isFirst) {
                bounds = grid.clone();
                totals = new double[grid.length];
                pageCounts = new double[grid.length];
                sum = 0;
            } else {
                otherGrids++;
                fits = false;
            }
        }
        double increaseBelow = 0;
        double countBelow = 0;
        int i = 0;
        for (Cell bucket : group.buckets) {
            double increase = bucket.takeIncrease();
            if (fits) {
                double own = Math.max(0, increase - increaseBelow);
                totals[i] += valid ? own : 0;
                pageCounts[i] += Math.max(0, bucket.value() - countBelow);
                overflowed |= i == grid.length - 1 && own > 0;
            }
            increaseBelow = increase;
            countBelow = bucket.value();
            i++;
        }
        double sumIncrease = group.sum.takeIncrease();
        sum += fits && valid ? sumIncrease : 0;
    }

    /** Whether observations fell above the last bound since the page before. */
    boolean isSaturated() {
        return overflowed;
    }

    /** Series that were left out since their grid is another one. */
    long otherGrids() {
        return otherGrids;
    }

    /** The present name, or null when the last page had none. */
    @Nullable
    String series() {
        return series;
    }

    /** Upper bounds of the page's buckets in seconds, the open one last, and what the page counts in each. */
    GridCheck.Grid grid() {
        double seconds = signal.microsPerUnit() / 1e6;
        return new GridCheck.Grid(
                Arrays.stream(bounds).map(bound -> bound * seconds).toArray(), pageCounts.clone());
    }

    /** The histogram so far; null when the last page had none. */
    @Nullable
    EngineHistogram histogram() {
        if (series == null || bounds.length < 2) {
            return null;
        }
        List<Long> bucketBounds = new ArrayList<>();
        List<Long> bucketTotals = new ArrayList<>();
        for (int i = 0; i < bounds.length; i++) {
            if (i < bounds.length - 1) {
                bucketBounds.add(Math.round(bounds[i] * signal.microsPerUnit()));
            }
            bucketTotals.add(Math.round(totals[i]));
        }
        return EngineHistogram.newBuilder()
                .setSignal(signal.name())
                .setBasis(signal.basis())
                .setBoundsMicros(bucketBounds)
                .setTotals(bucketTotals)
                .setSumTotalMicros(Math.round(sum * signal.microsPerUnit()))
                .build();
    }
}
