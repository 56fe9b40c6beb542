package io.inferwatch.probes.engine;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Tells, page by page, which process of a target answered, and counts the counters accordingly. Where pages say when their process began, every process is
 * counted for itself, so that workers which answer in turn are no restarts; a process that began after the page before began its counters at 0 then. Where
 * they do not, a fall is held back for one page: if the values are as high again on the next, several processes answer and cannot be told apart, and the
 * source is unstable until {@value #QUIET_PAGES} pages came without a fall. What was counted in the meantime is lost, never doubled.
 */
final class ProcessHistory {
    static final int QUIET_PAGES = 10;

    private static final int MAX_PROCESSES = 16;

    /** Process by its start, epoch seconds; the one that answered longest ago first. */
    private final Map<Double, Integer> processes = new LinkedHashMap<>(16, 0.75f, true);

    private long pages;
    private int lastProcess;
    private long lastOtherPage = -QUIET_PAGES;
    private boolean holding;
    private boolean unstable;
    private int quietPages;

    /** What is to be done with a page's increases. */
    enum Verdict {
        /** Add them. */
        COUNT,
        /** The same, and a process began anew. */
        COUNT_RESET,
        /** Keep them for the next page, which will tell. */
        HOLD,
        /** Throw them away. */
        UNSTABLE
    }

    /**
     * Counts a page.
     *
     * @param counters those that are on it
     * @param all every counter
     * @param startSeconds when its process began, epoch seconds; NaN where it does not say
     * @param pageBeforeSeconds when the page before was read, NaN for the first
     */
    Verdict page(Collection<Cell> counters, Collection<Cell> all, double startSeconds, double pageBeforeSeconds) {
        pages++;
        boolean known = !Double.isNaN(startSeconds);
        Double key = known ? startSeconds : Double.NaN;
        Integer process = processes.get(key);
        boolean restarted = process == null && known && startSeconds >= pageBeforeSeconds;
        boolean fromZero = process != null || restarted;
        if (process == null) {
            process = slot(freed -> all.forEach(cell -> cell.forget(freed)));
            processes.put(key, process);
        }
        if (process != lastProcess && processes.size() > 1 && !restarted) {
            lastOtherPage = pages;
        }
        lastProcess = process;
        boolean fell = false;
        boolean back = false;
        for (Cell cell : counters) {
            back |= holding && cell.isBack();
            fell |= cell.count(process, fromZero);
        }
        if (known) {
            return fell || restarted ? Verdict.COUNT_RESET : Verdict.COUNT;
        }
        return unsaid(fell, back);
    }

    /** Whether several processes answered of late. */
    boolean isShared() {
        return pages - lastOtherPage < QUIET_PAGES;
    }

    private Verdict unsaid(boolean fell, boolean back) {
        boolean held = holding;
        holding = false;
        if (unstable) {
            quietPages = fell ? 0 : quietPages + 1;
            unstable = quietPages < QUIET_PAGES;
            return Verdict.UNSTABLE;
        }
        if (held) {
            unstable = back || fell;
            quietPages = 0;
            return unstable ? Verdict.UNSTABLE : Verdict.COUNT_RESET;
        }
        holding = fell;
        return fell ? Verdict.HOLD : Verdict.COUNT;
    }

    private int slot(IntConsumer freed) {
        if (processes.size() < MAX_PROCESSES) {
            return processes.size();
        }
        Iterator<Integer> eldest = processes.values().iterator();
        int slot = eldest.next();
        eldest.remove();
        freed.accept(slot);
        return slot;
    }
}
