package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;
import java.util.List;

/**
 * Layers of a hybrid model that need the same tokens of a sequence: all, those in a sliding window, those of an image. An engine that gives
 * every layer room for the whole sequence wastes what they do not need.
 *
 * @param layers how many they are
 * @param neededTokens tokens that one of them needs of a sequence, on average
 */
public record LayerGroup(int layers, double neededTokens) {
    /** Checks the numbers. */
    public LayerGroup {
        Amounts.requireAtLeast(1, "layers", layers);
        if (!(neededTokens >= 0 && neededTokens < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("neededTokens: must be at least 0 and finite, found " + neededTokens);
        }
    }

    /** Layers that need whole sequences. */
    public static LayerGroup full(int layers, LengthHistogram lengths) {
        return new LayerGroup(layers, lengths.mean());
    }

    /** Layers that need the last tokens of a sequence, up to a window's. */
    public static LayerGroup sliding(int layers, long windowTokens, LengthHistogram lengths) {
        Amounts.requireAtLeast(1, "windowTokens", windowTokens);
        return new LayerGroup(layers, lengths.mean() - lengths.meanAbove(windowTokens));
    }

    /**
     * The share of the cache that no layer needs: 1 - sum of layers * needed / (all layers * held).
     *
     * @param groups all layers of the model
     * @param heldTokens tokens that every layer has room for, of a sequence, on average; above 0
     */
    public static Estimated waste(List<LayerGroup> groups, double heldTokens) {
        if (groups.isEmpty()) {
            throw new IllegalArgumentException("groups: must be at least one, found none");
        }
        if (!(heldTokens > 0 && heldTokens < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("heldTokens: must be above 0 and finite, found " + heldTokens);
        }
        double layers = 0;
        double needed = 0;
        for (LayerGroup group : groups) {
            layers += group.layers;
            needed += group.layers * group.neededTokens;
        }
        return Estimated.share(1 - needed / (layers * heldTokens));
    }
}
