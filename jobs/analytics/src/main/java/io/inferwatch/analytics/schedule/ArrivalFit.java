package io.inferwatch.analytics.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.numbers.gamma.Digamma;
import org.apache.commons.numbers.gamma.LogGamma;

/**
 * Distributions of gaps under which observed gaps are likeliest, and how well each does. Gaps of 0 (arrivals of one instant, where clocks are coarse) take part in the rate and the dispersion, and are left out of the fits: neither Gamma nor
 * Weibull with a shape below 1 can tell how likely they are.
 *
 * @param candidates the likeliest first
 * @param zeros gaps of 0
 * @param dispersion variance of the counts of arrivals by their mean, in windows of ten mean gaps: 1 for Poisson's, above where arrivals are burstier than chance
 */
public record ArrivalFit(List<Candidate> candidates, long zeros, double dispersion) {
    private static final int LEAST_GAPS = 30;
    private static final int GAPS_OF_WINDOW = 10;
    private static final double MAX_SHAPE = 1e4;
    private static final double MIN_SHAPE = 1e-3;

    /**
     * A fitted distribution.
     *
     * @param logLikelihood of the gaps above 0
     * @param criterion Akaike's: twice the number of parameters less twice the log likelihood; less is better
     * @param distance Kolmogorov's distance of the gaps above 0 from it
     */
    public record Candidate(Gaps gaps, double logLikelihood, double criterion, double distance) {}

    /** Unmodifiable. */
    public ArrivalFit {
        candidates = List.copyOf(candidates);
    }

    /**
     * Fits them.
     *
     * @param gapSeconds in the order of the arrivals, none negative
     * @throws IllegalArgumentException below thirty gaps above 0, or when all of them are alike
     */
    public static ArrivalFit of(double[] gapSeconds) {
        double[] positive =
                Arrays.stream(gapSeconds).filter(gap -> gap > 0).sorted().toArray();
        if (positive.length < LEAST_GAPS || positive[0] == positive[positive.length - 1]) {
            throw new IllegalArgumentException(
                    "gaps: must be at least " + LEAST_GAPS + " above 0 and not all alike, found " + positive.length);
        }
        double mean = Arrays.stream(positive).average().orElseThrow();
        double meanLog = Arrays.stream(positive).map(Math::log).average().orElseThrow();
        List<Candidate> candidates = new ArrayList<>();
        double exponential = -positive.length * (Math.log(mean) + 1);
        candidates.add(candidate(new Gaps.Exponential(mean), exponential, 1, positive));
        candidates.add(gamma(positive, mean, meanLog));
        candidates.add(weibull(positive, meanLog));
        candidates.sort(Comparator.comparingDouble(Candidate::criterion));
        return new ArrivalFit(candidates, gapSeconds.length - positive.length, dispersion(gapSeconds));
    }

    /** The likeliest. */
    public Gaps best() {
        return candidates.get(0).gaps();
    }

    /** ln k - digamma k = ln mean - mean ln, which falls with k. */
    private static Candidate gamma(double[] sorted, double mean, double meanLog) {
        double target = Math.log(mean) - meanLog;
        double shape = root(k -> target - (Math.log(k) - Digamma.value(k)));
        double scale = mean / shape;
        double likelihood = sorted.length
                * ((shape - 1) * meanLog - mean / scale - shape * Math.log(scale) - LogGamma.value(shape));
        return candidate(new Gaps.Gamma(shape, scale), likelihood, 2, sorted);
    }

    /** sum x^k ln x / sum x^k - 1 / k = mean ln, which rises with k. Gaps are taken by the greatest, so that no power overflows. */
    private static Candidate weibull(double[] sorted, double meanLog) {
        double greatest = sorted[sorted.length - 1];
        double shape = root(k -> {
            double powers = 0;
            double logs = 0;
            for (double gap : sorted) {
                double power = Math.pow(gap / greatest, k);
                powers += power;
                logs += power * Math.log(gap);
            }
            return logs / powers - 1 / k - meanLog;
        });
        double powers = Arrays.stream(sorted)
                .map(gap -> Math.pow(gap / greatest, shape))
                .average()
                .orElseThrow();
        double scale = greatest * Math.pow(powers, 1 / shape);
        double likelihood = sorted.length * (Math.log(shape) - shape * Math.log(scale) + (shape - 1) * meanLog - 1);
        return candidate(new Gaps.Weibull(shape, scale), likelihood, 2, sorted);
    }

    /** Where a rising function of the shape is 0, by halving its logarithm. */
    private static double root(DoubleUnaryOperator rising) {
        double low = Math.log(MIN_SHAPE);
        double high = Math.log(MAX_SHAPE);
        for (int i = 0; i < 100; i++) {
            double middle = (low + high) / 2;
            if (rising.applyAsDouble(Math.exp(middle)) < 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.exp((low + high) / 2);
    }

    private static Candidate candidate(Gaps gaps, double likelihood, int parameters, double[] sorted) {
        double distance = 0;
        int n = sorted.length;
        for (int i = 0; i < n; i++) {
            double expected = gaps.cumulative(sorted[i]);
            distance = Math.max(distance, Math.max(expected - i / (double) n, (i + 1) / (double) n - expected));
        }
        return new Candidate(gaps, likelihood, 2 * parameters - 2 * likelihood, distance);
    }

    private static double dispersion(double[] gapSeconds) {
        double total = Arrays.stream(gapSeconds).sum();
        int windows = Math.max(2, gapSeconds.length / GAPS_OF_WINDOW);
        double[] counts = new double[windows];
        double at = 0;
        for (double gap : gapSeconds) {
            at += gap;
            counts[(int) Math.min(windows - 1L, (long) (at / total * windows))]++;
        }
        double mean = Arrays.stream(counts).average().orElseThrow();
        double squares = Arrays.stream(counts)
                .map(count -> (count - mean) * (count - mean))
                .sum();
        return squares / (windows - 1) / mean;
    }
}
