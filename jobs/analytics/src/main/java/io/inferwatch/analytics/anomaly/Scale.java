package io.inferwatch.analytics.anomaly;

/** On what scale values of a series are alike: where a difference means the same wherever it is. */
public enum Scale {
    /** As they are. Two percent, or a billionth, is no difference. */
    LINEAR {
        @Override
        public boolean holds(double value) {
            return Double.isFinite(value);
        }

        @Override
        double of(double value) {
            return value;
        }

        @Override
        double value(double scaled) {
            return scaled;
        }

        @Override
        double deadBand(double centre) {
            return Math.max(RELATIVE * Math.abs(centre), LEAST);
        }
    },

    /** By their logarithm: latencies, rates. Above zero only; two percent is no difference. */
    LOG {
        @Override
        public boolean holds(double value) {
            return value > 0 && Double.isFinite(value);
        }

        @Override
        double of(double value) {
            return Math.log(value);
        }

        @Override
        double value(double scaled) {
            return Math.exp(scaled);
        }

        @Override
        double deadBand(double centre) {
            return RELATIVE;
        }
    },

    /** By their odds: shares. From 0 to 1; half a percent is as good as none or all, and a tenth of the odds is no difference. */
    LOGIT {
        @Override
        public boolean holds(double value) {
            return value >= 0 && value <= 1;
        }

        @Override
        double of(double value) {
            double inside = Math.max(LEAST_SHARE, Math.min(1 - LEAST_SHARE, value));
            return Math.log(inside / (1 - inside));
        }

        @Override
        double value(double scaled) {
            return 1 / (1 + Math.exp(-scaled));
        }

        @Override
        double deadBand(double centre) {
            return ODDS;
        }
    };

    private static final double RELATIVE = 0.02;
    private static final double LEAST = 1e-9;
    private static final double LEAST_SHARE = 0.005;
    private static final double ODDS = 0.1;

    /** Whether the value can be one of such a series. */
    public abstract boolean holds(double value);

    abstract double of(double value);

    abstract double value(double scaled);

    /** The least spread that is believed: without it a flat series would be strange with its first other digit. */
    abstract double deadBand(double centre);
}
