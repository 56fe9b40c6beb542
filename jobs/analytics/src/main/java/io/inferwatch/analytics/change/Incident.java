package io.inferwatch.analytics.change;

import java.util.List;

/**
 * A change that is told of, once. Where it is may still move by some runs while more of them come; its id stays.
 *
 * @param id in the order in which changes were found, from 0; never used twice
 * @param kind what changed
 * @param isBimodal whether the series has two modes, so that a single run tells little
 * @param state what became of it
 * @param at number of the run that most likely was the first, counted from the series' first one
 * @param earliest number of the first run that may have been it
 * @param latest number of the last run that may have been it
 * @param before level before: the median, or the share of runs in the high mode
 * @param after level after
 * @param p of the less sure of its tests
 * @param lastGood commit of the last run that surely was before; the change is none of its own
 * @param suspects commits of the runs that may have been the first, oldest first, each once; with those between lastGood and the last of them that were not run
 */
public record Incident(
        long id,
        Kind kind,
        boolean isBimodal,
        State state,
        long at,
        long earliest,
        long latest,
        double before,
        double after,
        double p,
        String lastGood,
        List<String> suspects) {
    /** What changed. */
    public enum Kind {
        /** The level; of a series with two modes, that within the modes. */
        LEVEL,
        /** How often runs take the high one of two modes. */
        MODE_SHARE
    }

    /** What became of a change. */
    public enum State {
        /** It holds. */
        OPEN,
        /** A later change has brought the level back. */
        RECOVERED,
        /** Later runs do not bear it out. */
        WITHDRAWN,
        /** Somebody has taken the new level as the one to hold. */
        ACKNOWLEDGED
    }

    /** Copies. */
    public Incident {
        suspects = List.copyOf(suspects);
    }

    /** Relative change; of shares the difference. */
    public double change() {
        if (kind == Kind.MODE_SHARE) {
            return after - before;
        }
        return before == after ? 0 : (after - before) / Math.abs(before);
    }

    Incident withState(State other) {
        return new Incident(id, kind, isBimodal, other, at, earliest, latest, before, after, p, lastGood, suspects);
    }

    Incident withId(long other) {
        return new Incident(other, kind, isBimodal, state, at, earliest, latest, before, after, p, lastGood, suspects);
    }
}
