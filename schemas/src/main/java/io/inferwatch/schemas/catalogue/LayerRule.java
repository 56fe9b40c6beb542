package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;

/**
 * Layers of a hybrid model whose engine gives every layer room for whole sequences.
 *
 * @param model as events name it
 * @param full layers that need whole sequences
 * @param sliding layers that need the last tokens of a sequence
 * @param windowTokens how many tokens these need
 */
public record LayerRule(String model, int full, int sliding, long windowTokens) {
    /** The kind of settings that hold such rules. */
    public static final String KIND = "layer";

    private static final int MAX_LAYERS = 10_000;
    private static final long MAX_TOKENS = 1L << 30;

    /**
     * A rule as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static LayerRule parse(String model, String yaml) {
        Settings root = Settings.parse(KIND + "/" + model, yaml);
        LayerRule rule = read(model, root);
        root.check();
        return rule;
    }

    static LayerRule read(String model, Settings entry) {
        return new LayerRule(
                model,
                (int) entry.integer("full", 1, MAX_LAYERS),
                (int) entry.integer("sliding", 1, MAX_LAYERS),
                entry.integer("window-tokens", 1, MAX_TOKENS));
    }
}
