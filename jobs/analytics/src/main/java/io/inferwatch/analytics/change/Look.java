package io.inferwatch.analytics.change;

import io.inferwatch.analytics.change.Incident.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a series of runs shows: changes of its level and, where one software has two modes, changes of the level within them and of how often runs take the high one.
 *
 * @param isBimodal whether there are two modes
 * @param levels changes of the level
 * @param shares changes of the modes' shares
 */
record Look(boolean isBimodal, Changes levels, Changes shares) {
    /** Makes an incident of a change. */
    interface Telling {
        Incident of(Kind kind, boolean isBimodal, Change change);
    }

    static Look of(List<Run> runs, ChangeRule rule) {
        double[] values = runs.stream().mapToDouble(Run::value).toArray();
        Optional<Modes> modes = Modes.of(values, runs.stream().map(Run::commit).toList());
        Changes none = new Changes(List.of(), Optional.empty());
        return modes.map(two -> new Look(
                        true,
                        Changes.of(two.levelled(values), rule),
                        Changes.of(two.membership(values), rule.forShares())))
                .orElseGet(() -> new Look(false, Changes.of(values, rule), none));
    }

    List<Incident> confirmed(Telling telling) {
        List<Incident> all = new ArrayList<>();
        levels.confirmed().forEach(change -> all.add(telling.of(Kind.LEVEL, isBimodal, change)));
        shares.confirmed().forEach(change -> all.add(telling.of(Kind.MODE_SHARE, true, change)));
        return all;
    }

    /** Of levels alone: a few runs say nothing of shares. */
    Optional<Incident> suspect(Telling telling) {
        return levels.suspect().map(change -> telling.of(Kind.LEVEL, isBimodal, change));
    }
}
