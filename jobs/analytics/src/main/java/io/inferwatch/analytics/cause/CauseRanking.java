package io.inferwatch.analytics.cause;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Causes by how well they explain a breach. A score is 0.35 for the stages' shares, 0.25 for its signals on average over those that are read, 0.2 for an event and 0.2 for the
 * place, each from 0 to 1. How often a cause with such a score was the right one is the calibration's to say; what is left is unknown.
 *
 * @param candidates the five best, those that nothing shows left out
 * @param unknown share that the data do not explain, from 0 to 1
 */
public record CauseRanking(List<Candidate> candidates, double unknown) {
    /** The name of what the data do not show. */
    public static final String UNKNOWN = "unknown";

    private static final double STAGES = 0.35;
    private static final double SIGNALS = 0.25;
    private static final double EVENTS = 0.2;
    private static final double SCOPES = 0.2;
    private static final int SHOWN = 5;
    private static final double LEAST = 0.02;

    /** A ranking with an unmodifiable list. */
    public CauseRanking {
        candidates = List.copyOf(candidates);
    }

    /**
     * A cause.
     *
     * @param score from 0 to 1
     * @param evidence what shows it, the strongest first
     */
    public record Candidate(String cause, double score, List<Evidence> evidence) {
        /** A candidate with an unmodifiable list. */
        public Candidate {
            evidence = List.copyOf(evidence);
        }
    }

    /**
     * What shows a cause.
     *
     * @param what for people
     * @param part of the score
     */
    public record Evidence(String what, double part) {}

    /** Ranks causes. */
    public static CauseRanking of(Incident incident, List<CauseRule> rules, Calibration calibration) {
        List<Candidate> candidates = rules.stream()
                .map(rule -> candidate(incident, rule))
                .filter(candidate -> candidate.score() >= LEAST)
                .sorted(Comparator.comparingDouble(Candidate::score).reversed().thenComparing(Candidate::cause))
                .limit(SHOWN)
                .toList();
        double best = candidates.isEmpty() ? 0 : candidates.get(0).score();
        return new CauseRanking(candidates, 1 - calibration.probability(best));
    }

    /** The likeliest: the best cause, or that it is unknown, whichever has more for it. */
    public String first() {
        return candidates.isEmpty() || unknown > 0.5
                ? UNKNOWN
                : candidates.get(0).cause();
    }

    /** The place of a cause, from 1; empty where it is none of the candidates. */
    public OptionalDouble rank(String cause) {
        for (int i = 0; i < candidates.size(); i++) {
            if (candidates.get(i).cause().equals(cause)) {
                return OptionalDouble.of(i + 1);
            }
        }
        return OptionalDouble.empty();
    }

    private static Candidate candidate(Incident incident, CauseRule rule) {
        List<Evidence> evidence = new ArrayList<>();
        double event = 0;
        for (Incident.Event one : incident.events()) {
            if (rule.events().contains(one.kind()) && one.weight() > event) {
                event = one.weight();
                evidence.removeIf(other -> other.what().startsWith("event "));
                evidence.add(new Evidence(
                        "event " + one.kind() + " " + one.name() + ", "
                                + one.age().toMinutes() + " min before",
                        EVENTS * event));
            }
        }
        StageShares shares = incident.stages();
        double explained = rule.isMix() ? shares.mix() : 0;
        if (rule.stages().isEmpty() && !rule.isMix()) {
            // Whatever was slowed, as far as somebody did something.
            explained += event * (1 - shares.mix());
        } else {
            explained += shares.byStage().entrySet().stream()
                    .filter(stage -> rule.stages().contains(stage.getKey()))
                    .mapToDouble(Map.Entry::getValue)
                    .sum();
        }
        add(evidence, STAGES * explained, "%.0f %% of the rise in latency", 100 * explained);
        List<Signal> read = incident.signals().stream()
                .filter(signal -> rule.signals().containsKey(signal.name()))
                .toList();
        read.stream()
                .filter(signal -> isShowing(signal, rule))
                .max(Comparator.comparingDouble(Signal::weight))
                .ifPresent(strongest -> add(
                        evidence,
                        SIGNALS
                                * read.stream()
                                        .mapToDouble(signal -> isShowing(signal, rule) ? signal.weight() : 0)
                                        .average()
                                        .orElse(0),
                        strongest.name() + " %+.1f of its usual range, %d min before",
                        strongest.change(),
                        strongest.lead().toMinutes()));
        incident.scopes().stream()
                .filter(scope -> rule.scopes().contains(scope.dimension()))
                .max(Comparator.comparingDouble(Incident.Scope::weight))
                .ifPresent(scope -> add(
                        evidence,
                        SCOPES * scope.weight(),
                        scope.dimension() + " " + scope.value().replace("%", "%%")
                                + " has %.0f %% of bad requests and %.0f %% of all",
                        100 * scope.badShare(),
                        100 * scope.share()));
        evidence.sort(Comparator.comparingDouble(Evidence::part).reversed());
        return new Candidate(
                rule.name(), evidence.stream().mapToDouble(Evidence::part).sum(), evidence);
    }

    /** Whether it departed, and the way that the cause makes it. */
    private static boolean isShowing(Signal signal, CauseRule rule) {
        return signal.weight() > 0 && rule.signals().getOrDefault(signal.name(), false) == signal.change() > 0;
    }

    private static void add(List<Evidence> evidence, double part, String what, Object... values) {
        if (part > 0) {
            evidence.add(new Evidence(String.format(Locale.ROOT, what, values), part));
        }
    }
}
