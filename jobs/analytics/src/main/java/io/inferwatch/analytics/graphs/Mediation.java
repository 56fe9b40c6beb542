package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.panel.Contrast;
import io.inferwatch.analytics.shape.Estimate;

/**
 * How much of the effect goes by way of new shapes, by the difference of the effect with and without them in the model, which for ratios of
 * rates is free of the bias that odds have. Right only where nothing unseen drives both new shapes and failures.
 *
 * @param direct ratio of failures that jitter makes with new shapes held fast
 * @param byNewShapes the ratio by way of them; direct times this is the whole effect
 */
public record Mediation(Estimate direct, Estimate byNewShapes) {

    static Mediation of(Contrast total, Contrast direct) {
        return new Mediation(direct.ratio(), total.minus(direct).ratio());
    }

    /** Whether new shapes surely carry a part of it. */
    public boolean isShown() {
        return byNewShapes.low() > 1 || byNewShapes.high() < 1;
    }
}
