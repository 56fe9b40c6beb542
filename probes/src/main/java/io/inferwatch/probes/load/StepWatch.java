package io.inferwatch.probes.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Watches the limit of the circuit breaker while the load runs. Whether more than one in a hundred of the requests of a window were slower than that is known as soon as the last of them is that old: those
 * not answered by then are slower. So the load is cut off within the breaker's own latency and a second. Thread safe.
 */
final class StepWatch {
    private static final long SECOND = 1_000_000;

    private final StepRule rule;
    private final long beginAtMicros;
    /** By second since the beginning: requests that were due, and those that were answered in time. */
    private long[] due = new long[256];

    private long[] quick = new long[256];
    /** The seconds in which steps began, rising; a window never mixes steps. */
    private final List<Integer> stepBegins = new ArrayList<>();

    private int step = -1;
    private long checkedBelow;

    StepWatch(StepRule rule, long beginAtMicros) {
        this.rule = rule;
        this.beginAtMicros = beginAtMicros;
    }

    /** A request of a step was due at this moment. */
    synchronized void due(int ofStep, long atMicros) {
        int second = second(atMicros);
        if (ofStep != step) {
            step = ofStep;
            stepBegins.add(second);
        }
        due[second]++;
    }

    /** A request ended. */
    synchronized void ended(FinishedRequest request) {
        Long micros = request.isGood() ? rule.latency().micros(request) : null;
        if (micros != null && micros <= rule.breakerMicros()) {
            quick[second(request.dueAtMicros())]++;
        }
    }

    /** Whether some window that can be judged by now is over the breaker's limit. */
    synchronized boolean isTripped(long nowAtMicros) {
        long ripe = Math.floorDiv(nowAtMicros - rule.breakerMicros() - beginAtMicros, SECOND);
        boolean isTripped = false;
        for (long end = checkedBelow + 1; end <= Math.min(ripe, due.length); end++) {
            checkedBelow = end;
            isTripped |= isOver((int) end);
        }
        return isTripped;
    }

    private boolean isOver(int to) {
        int from = Math.max(0, to - StepRule.WINDOW_SECONDS);
        for (int begin : stepBegins) {
            from = begin < to ? Math.max(from, begin) : from;
        }
        long all = 0;
        long inTime = 0;
        for (int second = from; second < to; second++) {
            all += due[second];
            inTime += quick[second];
        }
        boolean isFull = all >= StepRule.LEAST_REQUESTS && all / (double) (to - from) >= rule.leastRate();
        // P99, the order statistic of rank ceil(0.99 n), is over the limit.
        return isFull && inTime < (99 * all + 99) / 100;
    }

    private int second(long atMicros) {
        int second = (int) Math.max(0, (atMicros - beginAtMicros) / SECOND);
        if (second >= due.length) {
            int length = Math.max(second + 1, 2 * due.length);
            due = Arrays.copyOf(due, length);
            quick = Arrays.copyOf(quick, length);
        }
        return second;
    }
}
