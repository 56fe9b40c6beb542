package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;

/**
 * Units in a row that are looked at together.
 *
 * @param content all of them, with each one's score
 * @param units a power of two
 * @param windows over all units
 * @param looks how many looks have been taken at its units, of those that could be tested
 */
record UnitGroup(PastPool content, int units, int windows, int looks) {
    UnitGroup plus(UnitGroup younger) {
        return new UnitGroup(
                content.plus(younger.content),
                units + younger.units,
                windows + younger.windows,
                Math.max(looks, younger.looks));
    }

    /** After a look; one that could not be tested took no chance of a false alarm. */
    UnitGroup looked(Judged judged) {
        return judged.raw().verdict() == Verdict.NOT_ESTIMABLE
                ? this
                : new UnitGroup(content, units, windows, looks + 1);
    }

    void write(StateWriter out) {
        content.write(out);
        out.number(units);
        out.number(windows);
        out.number(looks);
    }

    static UnitGroup read(StateReader in) {
        return new UnitGroup(PastPool.read(in), (int) in.number(), (int) in.number(), (int) in.number());
    }
}
