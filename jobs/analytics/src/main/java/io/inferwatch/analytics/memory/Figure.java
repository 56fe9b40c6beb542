package io.inferwatch.analytics.memory;

/** A number that is either measured or estimated: the two are types, so that an estimate cannot pass for a measurement. */
public sealed interface Figure {
    /** The number, in the unit that its name tells. */
    double value();

    /** The same number with no claim to have been measured. */
    Estimated asEstimate();

    /** From counters of the very thing. */
    record Measured(double value) implements Figure {
        /** Checks the number. */
        public Measured {
            requireFinite("value", value);
        }

        @Override
        public Estimated asEstimate() {
            return new Estimated(value, value);
        }
    }

    /**
     * By a model, from counters of something else.
     *
     * @param value within what is possible
     * @param computed what the model gave; it differs where that is impossible, e.g. below 0 where sequences share memory unseen
     */
    record Estimated(double value, double computed) implements Figure {
        /** Checks the numbers. */
        public Estimated {
            requireFinite("value", value);
            requireFinite("computed", computed);
        }

        /** A share of something: from 0 to 1. */
        static Estimated share(double computed) {
            return new Estimated(Math.max(0, Math.min(1, computed)), computed);
        }

        /** An amount of bytes or tokens: at least 0. */
        static Estimated amount(double computed) {
            return new Estimated(Math.max(0, computed), computed);
        }

        @Override
        public Estimated asEstimate() {
            return this;
        }

        /** Whether the model gave something impossible. To be counted: it tells how far the model can be trusted. */
        public boolean isClamped() {
            return value != computed;
        }
    }

    private static void requireFinite(String key, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(key + ": must be finite, found " + value);
        }
    }
}
