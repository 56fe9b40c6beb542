package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.List;

/**
 * What a model's sequences are padded to now, and how many boundaries there may be.
 *
 * @param model as events name it
 * @param boundaries tokens, rising; the last is the engine's limit
 */
public record PaddingRule(String model, List<Long> boundaries, int count) {
    /** The kind of settings that hold such rules. */
    public static final String KIND = "padding";

    private static final int MAX_COUNT = 128;

    /** A rule with an unmodifiable list. */
    public PaddingRule {
        boundaries = List.copyOf(boundaries);
    }

    /**
     * A rule as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static PaddingRule parse(String model, String yaml) {
        Settings root = Settings.parse(KIND + "/" + model, yaml);
        PaddingRule rule = read(model, root);
        root.check();
        return rule;
    }

    static PaddingRule read(String model, Settings entry) {
        List<Long> boundaries = entry.list("boundaries", PaddingRule::size, List.of());
        boolean rises = !boundaries.isEmpty();
        for (int i = 1; i < boundaries.size(); i++) {
            rises &= boundaries.get(i) > boundaries.get(i - 1);
        }
        if (!rises) {
            entry.problem("boundaries", "at least one whole number, rising", boundaries.toString());
        }
        return new PaddingRule(
                model, boundaries, (int) entry.integer("count", 2, MAX_COUNT, Math.max(2, boundaries.size())));
    }

    private static Long size(String text) {
        if (!text.matches("[1-9]\\d{0,9}")) {
            throw new IllegalArgumentException("a whole number from 1 on");
        }
        return Long.valueOf(text);
    }
}
