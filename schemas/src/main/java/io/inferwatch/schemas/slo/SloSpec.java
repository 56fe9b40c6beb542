package io.inferwatch.schemas.slo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One objective of an SLO.
 *
 * @param name the SLO's, and behind a slash the objective's number where it has several
 * @param displayName for people
 * @param service whose promise it is
 * @param indicator what is good
 * @param view of the catalogue: each of its series has a budget of its own
 * @param where values that dimensions of the view must have
 * @param leastPerSecond requests a second from which on it holds; 0 for always
 * @param target the share that is to be good, from 0 and below 1
 * @param timeslices how slices of time are judged; empty where every request counts
 * @param window for which the budget is given
 * @param burns when it burns too fast; empty for the usual conditions of the window
 */
public record SloSpec(
        String name,
        String displayName,
        String service,
        Indicator indicator,
        String view,
        Map<String, String> where,
        double leastPerSecond,
        double target,
        Optional<Slicing> timeslices,
        TimeWindow window,
        Optional<List<BurnSpec>> burns) {
    /** The kind of settings that hold SLOs; their body is a text that {@link SloFile#parse} reads. */
    public static final String KIND = "slo";

    /**
     * Slices of time that are good or bad as a whole.
     *
     * @param target the share of a slice's requests that must be good
     */
    public record Slicing(Duration length, double target) {}

    /** An objective with unmodifiable collections. */
    public SloSpec {
        where = Map.copyOf(where);
        burns = burns.map(List::copyOf);
    }
}
