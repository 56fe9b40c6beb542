package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A policy of batching or padding that was dealt out at random to replicas of a model, so that what differs between them may be called its
 * effect. Who sets it answers for the dealing: replicas that a person chose, or a roll-out node by node, are none.
 *
 * @param model as events name it
 * @param since when the changed policy came into force; what was captured before does not count
 * @param baseline replicas that stayed as they were
 * @param changed replicas under the changed policy
 */
public record ExperimentRule(String model, Instant since, List<String> baseline, List<String> changed) {
    /** The kind of settings that hold such rules. */
    public static final String KIND = "experiment";

    /** Fewer replicas on one side do not show how replicas differ. */
    public static final int MIN_REPLICAS = 5;

    /** A rule with unmodifiable lists. */
    public ExperimentRule {
        baseline = List.copyOf(baseline);
        changed = List.copyOf(changed);
    }

    /**
     * A rule as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static ExperimentRule parse(String model, String yaml) {
        Settings root = Settings.parse(KIND + "/" + model, yaml);
        ExperimentRule rule = read(model, root);
        root.check();
        return rule;
    }

    static ExperimentRule read(String model, Settings entry) {
        String since = entry.text("since");
        Instant instant = Instant.EPOCH;
        try {
            instant = Instant.parse(since);
        } catch (DateTimeParseException e) {
            if (!since.isEmpty()) {
                entry.problem("since", "a time such as 2026-01-31T12:00:00Z", "'" + since + "'");
            }
        }
        Set<String> seen = new HashSet<>();
        return new ExperimentRule(model, instant, replicas("baseline", entry, seen), replicas("changed", entry, seen));
    }

    private static List<String> replicas(String key, Settings entry, Set<String> seen) {
        List<String> replicas = entry.list(key, text -> text, List.of());
        List<String> again = new ArrayList<>();
        for (String replica : replicas) {
            if (!seen.add(replica)) {
                again.add(replica);
            }
        }
        if (!again.isEmpty()) {
            entry.problem(key, "replicas that are named once in all", "again " + String.join(", ", again));
        }
        if (replicas.size() < MIN_REPLICAS) {
            entry.problem(key, "at least " + MIN_REPLICAS + " replicas", String.valueOf(replicas.size()));
        }
        return replicas;
    }
}
