package io.inferwatch.analytics.anomaly;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds stragglers: replicas that do the same work and of which one is worse than the others, than it usually is among them, and by more than matters, window after window. Needs no
 * season: what befalls all befalls the others too. Where too many are out of place at once, it is the fleet, and nobody is struck.
 *
 * @param replicas what is said of each, in order of names; empty where there are too few
 * @param isFleet whether too many were out of place at once
 */
public record Peers(Map<String, PeerJudgement> replicas, boolean isFleet) {
    /** Keeps the order. */
    public Peers {
        replicas = Collections.unmodifiableMap(new TreeMap<>(replicas));
    }

    /**
     * Judges a window of all replicas that do the same work.
     *
     * @param values of those that had one which the scale holds
     * @param histories of those seen before
     */
    public static Peers judge(
            Map<String, Double> values, Map<String, PeerHistory> histories, Scale scale, PeerRule rule) {
        Map<String, Double> scaled = new TreeMap<>();
        values.forEach((replica, value) -> scaled.put(replica, scale.of(value)));
        if (scaled.size() <= rule.leastPeers()) {
            return new Peers(Map.of(), false);
        }
        Map<String, Place> places = new TreeMap<>();
        scaled.forEach((replica, value) -> places.put(
                replica,
                Place.of(
                        value,
                        others(scaled, replica),
                        histories.getOrDefault(replica, PeerHistory.NONE),
                        scale,
                        rule)));
        long out = places.values().stream().filter(place -> place.score() > 1).count();
        boolean isFleet = out > rule.tooMany() * places.size();
        Map<String, PeerJudgement> judged = new TreeMap<>();
        places.forEach((replica, place) -> judged.put(replica, place.judge(isFleet, scale, rule)));
        return new Peers(judged, isFleet);
    }

    private static double[] others(Map<String, Double> scaled, String replica) {
        return scaled.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(replica))
                .mapToDouble(Map.Entry::getValue)
                .toArray();
    }

    private record Place(double value, double centre, double score, PeerHistory history) {
        private static final double MAD_TO_SIGMA = 1.4826;

        static Place of(double value, double[] others, PeerHistory history, Scale scale, PeerRule rule) {
            double centre = SeasonalLevel.median(others, others.length);
            double[] away =
                    Arrays.stream(others).map(other -> Math.abs(other - centre)).toArray();
            double deadBand = scale.deadBand(centre);
            double spread = Math.max(deadBand, MAD_TO_SIGMA * SeasonalLevel.median(away, away.length));
            double worse = rule.worse(value - centre);
            double worseThanUsual = rule.worse(value - centre - history.usual());
            double score = Math.min(
                    Math.min(worse / (rule.sigmas() * spread), worseThanUsual / rule.floor()),
                    worseThanUsual / (rule.sigmas() * Math.max(deadBand, history.spread())));
            boolean isLearned = history.windows() >= rule.learnWindows();
            return new Place(value, centre, isLearned ? Math.max(0, score) : 0, history);
        }

        PeerJudgement judge(boolean isFleet, Scale scale, PeerRule rule) {
            boolean isOut = score > 1;
            PeerHistory struck = isOut && isFleet ? history : history.struck(isOut ? 1 : -1, rule);
            PeerHistory next = isOut || struck.isStraggler() ? struck : struck.learned(value - centre, rule);
            return new PeerJudgement(
                    scale.value(value),
                    scale.value(centre),
                    scale.value(centre + history.usual()),
                    score,
                    !history.isStraggler() && next.isStraggler(),
                    history.isStraggler() && !next.isStraggler(),
                    next);
        }
    }
}
