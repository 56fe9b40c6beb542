package io.inferwatch.analytics.schedule;

/**
 * Lengths of requests that provoke a scheduler: length i = base x (1 + skew x sin i), i in radians, rounded. Neighbours differ, no period
 * repeats exactly (a period is 2 pi, and i whole), the mean is the base, and the coefficient of variation is skew / sqrt 2, since the sines
 * of whole numbers are spread as those of angles at random [Weyl 1916].
 *
 * @param base mean length, at least 1
 * @param skew from 0, where all are alike, to below 1
 */
public record SkewedLengths(int base, double skew) {
    /** Checks the numbers. */
    public SkewedLengths {
        if (base < 1) {
            throw new IllegalArgumentException("base: must be at least 1, found " + base);
        }
        if (!(skew >= 0 && skew < 1)) {
            throw new IllegalArgumentException("skew: must be from 0 to below 1, found " + skew);
        }
    }

    /** The length of request i, at least 1. */
    public long length(long i) {
        return Math.max(1, Math.round(base * (1 + skew * Math.sin((double) i))));
    }

    /** The coefficient of variation of many lengths, but for their rounding. */
    public double variation() {
        return skew / Math.sqrt(2);
    }
}
