package io.inferwatch.analytics.drift;

import org.apache.commons.numbers.gamma.LogBeta;

/**
 * How many of n values exceed an order statistic of another sample: binomial, with a chance that is itself Beta(alpha, beta).
 *
 * @param n at least 0
 * @param alpha at least 1
 * @param beta at least 1; with alpha so that there is one mode, away from which probabilities fall
 */
record BetaBinomial(long n, double alpha, double beta) {

    /**
     * P(X &gt;= k), within a relative 1e-9 up to n = 10^9. Sums from k away from the mean, until terms no longer count: some eight standard
     * deviations at most.
     */
    double atLeast(long k) {
        if (k <= 0) {
            return 1;
        }
        if (k > n) {
            return 0;
        }
        return k > n * alpha / (alpha + beta) ? sumUpward(k) : Math.max(0, 1 - sumDownward(k - 1));
    }

    private double sumUpward(long from) {
        double term = probability(from);
        double sum = term;
        for (long k = from; k < n && term > sum * 1e-17; k++) {
            term *= (n - k) * (k + alpha) / ((k + 1) * (n - k - 1 + beta));
            sum += term;
        }
        return Math.min(1, sum);
    }

    private double sumDownward(long from) {
        double term = probability(from);
        double sum = term;
        for (long k = from; k > 0 && term > sum * 1e-17; k--) {
            term *= k * (n - k + beta) / ((n - k + 1) * (k - 1 + alpha));
            sum += term;
        }
        return sum;
    }

    /** C(n,k) B(k + alpha, n - k + beta) / B(alpha, beta). */
    private double probability(long k) {
        double hits = k;
        double rest = n - k;
        double combinations = -Math.log(n + 1.0) - LogBeta.value(rest + 1, hits + 1);
        return Math.exp(combinations + LogBeta.value(hits + alpha, rest + beta) - LogBeta.value(alpha, beta));
    }
}
