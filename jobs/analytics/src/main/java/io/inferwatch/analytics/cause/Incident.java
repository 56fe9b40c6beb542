package io.inferwatch.analytics.cause;

import java.time.Duration;
import java.util.List;

/**
 * What is known of a breach.
 *
 * @param stages where the time went
 * @param signals readings of what was breached, and of what it runs on
 * @param events what people did before it
 * @param scopes where bad requests are more frequent than requests
 */
public record Incident(StageShares stages, List<Signal> signals, List<Event> events, List<Scope> scopes) {
    /** An incident with unmodifiable lists. */
    public Incident {
        signals = List.copyOf(signals);
        events = List.copyOf(events);
        scopes = List.copyOf(scopes);
    }

    /**
     * Something that was done.
     *
     * @param kind e.g. {@code release}
     * @param name for people
     * @param age how long before the breach
     * @param isAtChange whether the latency itself changed where it was done
     */
    public record Event(String kind, String name, Duration age, boolean isAtChange) {
        private static final double FADING_MINUTES = 15;
        private static final double AT_CHANGE = 3;

        /** From 0 to 1: fades by a factor of e each quarter of an hour, and counts three times where the change is. */
        double weight() {
            double faded = age.isNegative() ? 0 : Math.exp(-age.toSeconds() / 60.0 / FADING_MINUTES);
            return Math.min(1, (isAtChange ? AT_CHANGE : 1) * faded);
        }
    }

    /**
     * A value of a dimension.
     *
     * @param badShare of all bad requests, those of that value
     * @param share of all requests, those of that value, above 0
     */
    public record Scope(String dimension, String value, double badShare, double share) {
        private static final double GREATEST_LIFT = 20;

        /** Checks the shares. */
        public Scope {
            if (!(badShare >= 0 && badShare <= 1 && share > 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        "badShare, share: must be from 0 to 1 and share above 0, found " + badShare + ", " + share);
            }
        }

        /** How many times as frequent bad requests are there. */
        public double lift() {
            return badShare / share;
        }

        /** From 0 to 1, by logarithm; counts for as much as it has of the bad requests. */
        double weight() {
            double lift = lift();
            return lift <= 1 ? 0 : badShare * Math.min(1, Math.log(lift) / Math.log(GREATEST_LIFT));
        }
    }
}
