package io.inferwatch.probes.reports;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Totals of reporters as our own: they begin at 0 with the first report and only grow, whatever restarts. Not thread safe. */
final class GrowingTotals {
    private final Map<String, Long> last = new HashMap<>();
    private final Map<String, Long> own = new HashMap<>();

    /** Our total for a reporter's; null where it has none. A total that fell began anew at 0. */
    @Nullable
    Long grown(String name, @Nullable Long theirs) {
        if (theirs == null) {
            return null;
        }
        Long before = last.put(name, theirs);
        long growth = before == null ? 0 : theirs >= before ? theirs - before : theirs;
        return own.merge(name, growth, Long::sum);
    }

    /** Adds to a total of our own. */
    long add(String name, long growth) {
        return own.merge(name, growth, Long::sum);
    }
}
