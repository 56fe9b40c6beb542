package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * Compares two rates of events (preemptions, failures) by their ratio, exactly: of all events the current ones are binomial with the chance
 * r t_c / (r t_c + t_b) when the ratio is r [Przyborowski and Wilenski 1940], limits by Clopper and Pearson. Events that come in bunches
 * count for less: both counts are divided by their dispersion (variance over mean of counts of equal intervals).
 */
public final class RateComparison {
    private RateComparison() {}

    /**
     * A rate.
     *
     * @param events at least 0
     * @param exposure what they are counted over, above 0, in the same unit on both sides, e.g. seconds
     */
    public record Rate(long events, double exposure) {
        /** Checks the numbers. */
        public Rate {
            if (events < 0 || !(exposure > 0 && exposure < Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        "events, exposure: must be at least 0 and above 0, found " + events + " and " + exposure);
            }
        }
    }

    /**
     * Compares two rates; not estimable where the baseline has no events.
     *
     * @param dispersion 1 for a Poisson process; what is below counts as 1
     */
    public static Comparison of(Rate baseline, Rate current, double dispersion, DriftRule rule) {
        if (baseline.events == 0) {
            return new NotEstimable(0, current.events);
        }
        double perEvent = 1 / Math.max(1, dispersion);
        double b = baseline.events * perEvent;
        double c = current.events * perEvent;
        double half = (1 - rule.confidence()) / 2;
        double exposures = current.exposure / baseline.exposure;
        double low = c == 0 ? 0 : BetaDistribution.of(c, b + 1).inverseCumulativeProbability(half);
        double high = BetaDistribution.of(c + 1, b).inverseSurvivalProbability(half);
        double factor = 1 + rule.threshold();
        double p =
                switch (rule.worse()) {
                    case UP -> atLeast(c, b, factor * exposures);
                    case DOWN -> atLeast(b, c, factor / exposures);
                };
        return new Measured(
                Scale.RELATIVE,
                c / b / exposures - 1,
                low / (1 - low) / exposures - 1,
                high / (1 - high) / exposures - 1,
                p,
                // Half an event more on each side keeps it finite without events [Haldane 1956].
                Math.sqrt(1 / (b + 0.5) + 1 / (c + 0.5)),
                baseline.events,
                current.events);
    }

    /** P(X &gt;= x) of x + rest events that fall on X's side with odds to one. */
    private static double atLeast(double x, double rest, double odds) {
        return x == 0 ? 1 : BetaDistribution.of(x, rest + 1).cumulativeProbability(odds / (1 + odds));
    }
}
