package io.inferwatch.analytics.panel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Rates of events with an intercept for each cluster: E(outcome) = exposure x exp(intercept + coefficients x regressors), by the likelihood
 * given each cluster's number of events, in which intercepts do not occur [Hausman, Hall and Griliches 1984]. So there is no bias from
 * estimating one intercept for every cluster, as a logit has. Coefficients are logarithms of rate ratios, and right wherever the mean is, whatever
 * the distribution [Wooldridge 1999]. A cluster without events, or with a single row that has exposure, tells nothing.
 */
public final class WithinPoisson {
    private static final int STEPS = 50;
    private static final int HALVINGS = 30;

    /**
     * A step that changes the logarithm of a rate by less, over a regressor's own spread, is the last. Not the gain of likelihood: a coefficient
     * that is on its way to infinity gains ever less, with steps that stay as long.
     */
    private static final double CONVERGED = 1e-10;

    /** Rounding of a log likelihood, of itself. */
    private static final double ROUNDING = 1e-12;

    private WithinPoisson() {}

    /**
     * Fits the rows of each cluster; empty where regressors are combinations of each other, where events are so few that some coefficient is
     * infinite, and where {@link Fit} has no errors.
     */
    public static Optional<Fit> fit(List<List<Row>> clusters) {
        int size = Rows.size(clusters);
        List<List<Row>> exposed = clusters.stream()
                .map(rows -> rows.stream().filter(row -> row.exposure() > 0).toList())
                .toList();
        double[] coefficients = new double[size];
        double[] spreads = spreads(exposed, size);
        for (int step = 0; step < STEPS; step++) {
            List<Moment> moments = moments(exposed, coefficients);
            Moment all = Moment.sum(moments, size);
            Optional<Cholesky> matrix = Cholesky.of(all.information());
            if (matrix.isEmpty()) {
                return Optional.empty();
            }
            double[] direction = matrix.get().solve(all.score());
            if (isShort(direction, spreads)) {
                return Fit.of(coefficients, moments);
            }
            coefficients = improved(exposed, coefficients, direction);
        }
        return Optional.empty();
    }

    /** Root of each regressor's mean square deviation within clusters, weighted by events. */
    private static double[] spreads(List<List<Row>> clusters, int size) {
        double events = clusters.stream()
                .flatMap(List::stream)
                .mapToDouble(Row::outcome)
                .sum();
        double[][] information =
                Moment.sum(moments(clusters, new double[size]), size).information();
        double[] spreads = new double[size];
        for (int i = 0; i < size; i++) {
            spreads[i] = Math.sqrt(information[i][i] / events);
        }
        return spreads;
    }

    private static boolean isShort(double[] direction, double[] spreads) {
        for (int i = 0; i < direction.length; i++) {
            if (!(Math.abs(direction[i]) * spreads[i] < CONVERGED)) {
                return false;
            }
        }
        return true;
    }

    /** The first of the whole step, its half, its quarter ... that makes the data likelier: the likelihood has one peak, so one is found. */
    private static double[] improved(List<List<Row>> clusters, double[] coefficients, double[] direction) {
        double before = logLikelihood(clusters, coefficients);
        double part = 1;
        for (int halving = 0; halving < HALVINGS; halving++) {
            double[] next = coefficients.clone();
            for (int i = 0; i < next.length; i++) {
                next[i] += part * direction[i];
            }
            if (logLikelihood(clusters, next) >= before - ROUNDING * Math.abs(before)) {
                return next;
            }
            part /= 2;
        }
        return coefficients;
    }

    private static double logLikelihood(List<List<Row>> clusters, double[] coefficients) {
        double sum = 0;
        for (List<Row> rows : clusters) {
            double[] shares = logRates(rows, coefficients);
            double log = logOfSum(shares);
            for (int i = 0; i < shares.length; i++) {
                double events = rows.get(i).outcome();
                sum += events == 0 ? 0 : events * (shares[i] - log);
            }
        }
        return sum;
    }

    private static List<Moment> moments(List<List<Row>> clusters, double[] coefficients) {
        List<Moment> moments = new ArrayList<>();
        for (List<Row> rows : clusters) {
            Moment moment = Moment.none(coefficients.length);
            double events = rows.stream().mapToDouble(Row::outcome).sum();
            double[] shares = logRates(rows, coefficients);
            double log = logOfSum(shares);
            for (int i = 0; i < shares.length; i++) {
                shares[i] = Math.exp(shares[i] - log);
            }
            double[] mean = Rows.mean(rows, shares, coefficients.length);
            for (int i = 0; i < shares.length && events > 0; i++) {
                Row row = rows.get(i);
                moment.add(Rows.deviation(row, mean), row.outcome() - events * shares[i], events * shares[i]);
            }
            moments.add(moment);
        }
        return moments;
    }

    private static double[] logRates(List<Row> rows, double[] coefficients) {
        return rows.stream()
                .mapToDouble(row -> Math.log(row.exposure()) + Rows.product(row.regressors(), coefficients))
                .toArray();
    }

    private static double logOfSum(double[] logs) {
        double most = Arrays.stream(logs).max().orElse(0);
        return most
                + Math.log(Arrays.stream(logs).map(log -> Math.exp(log - most)).sum());
    }
}
