package io.inferwatch.analytics.change;

/**
 * Clips single wild values [Hampel 1974]: a value that is farther than some robust sigmas from the median of its neighbourhood becomes that limit. A level that
 * holds for more than the half-width stays as it is, since its neighbours are then the majority.
 */
final class Hampel {
    private Hampel() {}

    /**
     * The values, clipped; a copy.
     *
     * @param halfWidth neighbours on each side, fewer at the ends
     * @param sigmas 1.4826 median absolute deviations that a value may be off
     */
    static double[] clipped(double[] values, int halfWidth, double sigmas) {
        double[] clipped = values.clone();
        for (int i = 0; i < values.length; i++) {
            int from = Math.max(0, i - halfWidth);
            int to = Math.min(values.length, i + halfWidth + 1);
            double median = Robust.median(values, from, to);
            double reach = sigmas * Robust.sigma(values, from, to);
            clipped[i] = Math.max(median - reach, Math.min(median + reach, values[i]));
        }
        return clipped;
    }
}
