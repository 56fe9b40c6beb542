package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** A number that sums a sample up, and the test that fits it. */
public sealed interface Statistic {
    /** In what its changes are told. */
    Scale scale();

    /** Its value, in the unit of the sample; empty where the sample has none. */
    OptionalDouble value(Sample sample);

    /** How many values, trials or events it takes until a sample tells enough to be one of the past windows. */
    long leastN(DriftRule rule);

    /**
     * Fixes the baseline of several comparisons.
     *
     * @param designEffect how many requests tell as much as one independent one; what is below counts as 1
     */
    Against against(Sample baseline, double designEffect, DriftRule rule);

    /** Its value in the scale of its changes: the logarithm of what is compared by ratios; empty where that is none. */
    default OptionalDouble score(Sample sample) {
        OptionalDouble value = value(sample);
        if (value.isEmpty() || scale() == Scale.POINTS) {
            return value;
        }
        return value.getAsDouble() > 0 ? OptionalDouble.of(Math.log(value.getAsDouble())) : OptionalDouble.empty();
    }

    /** Compares samples with one baseline. */
    interface Against {
        /** The comparison of one sample. */
        Comparison compare(Sample current);
    }

    /**
     * A quantile of values.
     *
     * @param q above 0 and below 1
     */
    record Quantile(double q) implements Statistic {
        @Override
        public Scale scale() {
            return Scale.RELATIVE;
        }

        @Override
        public OptionalDouble value(Sample sample) {
            QuantileSketch total = ((Values) sample).total();
            return total.n() == 0 ? OptionalDouble.empty() : OptionalDouble.of(total.quantile(q));
        }

        @Override
        public long leastN(DriftRule rule) {
            return QuantileInterval.minimumN(q, rule.confidence());
        }

        @Override
        public Against against(Sample baseline, double designEffect, DriftRule rule) {
            EffectiveSample pooled =
                    EffectiveSample.of(((Values) baseline).total()).correlated(designEffect);
            @Nullable
            QuantileInterval limits = pooled.interval(q, rule.confidence()).orElse(null);
            return current -> QuantileComparison.of(
                    pooled,
                    limits,
                    EffectiveSample.of(((Values) current).total()).correlated(designEffect),
                    q,
                    rule);
        }
    }

    /** The mean of values. */
    record Mean() implements Statistic {
        @Override
        public Scale scale() {
            return Scale.RELATIVE;
        }

        @Override
        public OptionalDouble value(Sample sample) {
            QuantileSketch total = ((Values) sample).total();
            return total.n() == 0 ? OptionalDouble.empty() : OptionalDouble.of(total.mean());
        }

        @Override
        public long leastN(DriftRule rule) {
            return MeanComparison.MIN_N;
        }

        @Override
        public Against against(Sample baseline, double designEffect, DriftRule rule) {
            Moments before = Moments.of(((Values) baseline).total());
            return current -> MeanComparison.of(before, Moments.of(((Values) current).total()), rule);
        }
    }

    /** The share of trials that hit. */
    record Share() implements Statistic {
        /** Fewer trials make shares that are nothing but 0 and 1. */
        private static final long LEAST_TRIALS = 30;

        @Override
        public Scale scale() {
            return Scale.POINTS;
        }

        @Override
        public OptionalDouble value(Sample sample) {
            Counts counts = (Counts) sample;
            return counts.of() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of((double) counts.events() / counts.of());
        }

        @Override
        public long leastN(DriftRule rule) {
            return LEAST_TRIALS;
        }

        @Override
        public Against against(Sample baseline, double designEffect, DriftRule rule) {
            ShareComparison.Share before = share(baseline);
            return current -> ShareComparison.of(before, share(current), rule);
        }

        private static ShareComparison.Share share(Sample sample) {
            Counts counts = (Counts) sample;
            return new ShareComparison.Share(counts.events(), counts.of());
        }
    }

    /** Events for each unit of what they are counted over. */
    record Rate() implements Statistic {
        @Override
        public Scale scale() {
            return Scale.RELATIVE;
        }

        @Override
        public OptionalDouble value(Sample sample) {
            Counts counts = (Counts) sample;
            return counts.of() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of((double) counts.events() / counts.of());
        }

        /** Half an event more keeps it finite without events [Haldane 1956]. */
        @Override
        public OptionalDouble score(Sample sample) {
            Counts counts = (Counts) sample;
            return counts.of() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Math.log((counts.events() + 0.5) / counts.of()));
        }

        @Override
        public long leastN(DriftRule rule) {
            return 1;
        }

        @Override
        public Against against(Sample baseline, double designEffect, DriftRule rule) {
            Counts before = (Counts) baseline;
            return current -> {
                Counts now = (Counts) current;
                if (before.of() == 0 || now.of() == 0) {
                    return new NotEstimable(before.events(), now.events());
                }
                return RateComparison.of(
                        new RateComparison.Rate(before.events(), before.of()),
                        new RateComparison.Rate(now.events(), now.of()),
                        designEffect,
                        rule);
            };
        }
    }
}
