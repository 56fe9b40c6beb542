package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * How much the requests of one key resemble each other, learned from short panes: {@link io.inferwatch.analytics.quantile.DesignEffect}'s
 * statistic within each window, with the window's own share of slow requests, summed over windows. Windows are judged by what was learned before them, and {@link #learn} says
 * whether they are to be learned from too: the null hypothesis is that requests are as before, also in how they resemble each other, and a server that is overloaded by its own slowness
 * would hide it. What is remembered halves from {@value #MAX_FREEDOM} degrees of freedom on. State: five numbers, and three for each pane of the window that runs. Not thread safe.
 */
final class TailPanes {
    static final int MAX_FREEDOM = 300;

    /** Those of the twelve panes that a design effect takes. */
    private static final int MIN_FREEDOM = 11;

    private static final int FIELDS = 3;
    private static final int NONE = -1;

    private int bucket = NONE;
    private double statistic;
    private int freedom;

    /** Of windows that ended and were not learned from yet. */
    private double newStatistic;

    private int newFreedom;

    /** End, values and slow values of each pane. */
    private long[] panes = new long[0];

    /** The bucket above which a value is slow; empty until there is a baseline of values. */
    OptionalInt bucket() {
        return bucket == NONE ? OptionalInt.empty() : OptionalInt.of(bucket);
    }

    void setBucket(int bucket) {
        this.bucket = bucket;
    }

    void add(long endMicros, long n, long above) {
        for (int i = 0; i < panes.length; i += FIELDS) {
            if (panes[i] == endMicros) {
                panes[i + 1] += n;
                panes[i + 2] += above;
                return;
            }
        }
        panes = Arrays.copyOf(panes, panes.length + FIELDS);
        panes[panes.length - 3] = endMicros;
        panes[panes.length - 2] = n;
        panes[panes.length - 1] = above;
    }

    /** Takes in the panes of a window, and forgets all that are no later. */
    void endWindow(long startMicros, long endMicros) {
        long n = 0;
        long above = 0;
        int filled = 0;
        for (int i = 0; i < panes.length; i += FIELDS) {
            if (isFilledWithin(i, startMicros, endMicros)) {
                n += panes[i + 1];
                above += panes[i + 2];
                filled++;
            }
        }
        if (filled > 1 && above > 0 && above < n) {
            takeIn((double) above / n, filled - 1, startMicros, endMicros);
        }
        int kept = 0;
        for (int i = 0; i < panes.length; i += FIELDS) {
            if (panes[i] > endMicros) {
                System.arraycopy(panes, i, panes, kept, FIELDS);
                kept += FIELDS;
            }
        }
        panes = Arrays.copyOf(panes, kept);
    }

    private void takeIn(double share, int more, long startMicros, long endMicros) {
        for (int i = 0; i < panes.length; i += FIELDS) {
            if (isFilledWithin(i, startMicros, endMicros)) {
                double expected = panes[i + 1] * share;
                double excess = panes[i + 2] - expected;
                newStatistic += excess * excess / (expected * (1 - share));
            }
        }
        newFreedom += more;
    }

    /** Learns from the windows since the last time, or drops them. */
    void learn(boolean areUsual) {
        if (areUsual) {
            statistic += newStatistic;
            freedom += newFreedom;
        }
        newStatistic = 0;
        newFreedom = 0;
        if (freedom > MAX_FREEDOM) {
            int half = freedom / 2;
            statistic *= (double) half / freedom;
            freedom = half;
        }
    }

    private boolean isFilledWithin(int pane, long startMicros, long endMicros) {
        return panes[pane] > startMicros && panes[pane] <= endMicros && panes[pane + 1] > 0;
    }

    /** How many requests tell as much as one independent one; 1 while too few panes were seen. */
    double designEffect() {
        return freedom < MIN_FREEDOM ? 1 : Math.max(1, statistic / freedom);
    }

    void write(StateWriter out) {
        out.signed(bucket);
        out.real(statistic);
        out.number(freedom);
        out.real(newStatistic);
        out.number(newFreedom);
        out.numbers(panes);
    }

    static TailPanes read(StateReader in) {
        TailPanes tail = new TailPanes();
        tail.bucket = (int) in.signed();
        tail.statistic = in.real();
        tail.freedom = (int) in.number();
        tail.newStatistic = in.real();
        tail.newFreedom = (int) in.number();
        tail.panes = in.numbers();
        return tail;
    }
}
