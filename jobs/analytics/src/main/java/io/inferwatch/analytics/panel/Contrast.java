package io.inferwatch.analytics.panel;

import io.inferwatch.analytics.shape.Estimate;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A combination of coefficients, with what each cluster does to it. The error is the jackknife's over clusters: it holds whatever the windows
 * of a cluster have to do with each other, and does not fall short with few clusters as the plain sandwich does (CR3 [Bell and McCaffrey 2002]).
 * Limits at 95 % have Student's distribution with one degree of freedom less than telling clusters.
 *
 * @param value the combination
 * @param influences by cluster: how much less it would be without
 * @param clusters how many of them tell anything
 */
public record Contrast(double value, double[] influences, int clusters) {
    private static final double TAIL = 0.025;

    /** The difference of two combinations, of one fit or of two that have the same clusters: their errors hang together, and this knows how. */
    public Contrast minus(Contrast other) {
        double[] differences = new double[influences.length];
        for (int i = 0; i < differences.length; i++) {
            differences[i] = influences[i] - other.influences[i];
        }
        return new Contrast(value - other.value, differences, Math.max(clusters, other.clusters));
    }

    /** So many times as much. */
    public Contrast times(double factor) {
        double[] multiples = new double[influences.length];
        for (int i = 0; i < multiples.length; i++) {
            multiples[i] = factor * influences[i];
        }
        return new Contrast(factor * value, multiples, clusters);
    }

    /** Root of the variance. */
    public double standardError() {
        double squares = 0;
        for (double influence : influences) {
            squares += influence * influence;
        }
        return Math.sqrt(squares * (clusters - 1) / clusters);
    }

    /** With its limits. */
    public Estimate estimate() {
        double reach = student().inverseSurvivalProbability(TAIL) * standardError();
        return new Estimate(value, value - reach, value + reach);
    }

    /** The same of a logarithm, as a ratio. */
    public Estimate ratio() {
        Estimate log = estimate();
        return new Estimate(Math.exp(log.value()), Math.exp(log.low()), Math.exp(log.high()));
    }

    /** Chance of a value at least so far from zero if the truth were zero. */
    public double p() {
        double error = standardError();
        if (error == 0) {
            return value == 0 ? 1 : 0;
        }
        return Math.min(1, 2 * student().survivalProbability(Math.abs(value) / error));
    }

    private TDistribution student() {
        return TDistribution.of(clusters - 1.0);
    }
}
