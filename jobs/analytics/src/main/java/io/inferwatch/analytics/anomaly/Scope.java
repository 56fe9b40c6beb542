package io.inferwatch.analytics.anomaly;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What anomalous series have in common: the smallest set of labels in which (nearly) all series are anomalous, so that a fleet that shifts is one finding and not one for each
 * replica. A scope with one anomalous series is that series, with all its labels.
 *
 * @param labels names and values; none is the whole fleet
 * @param anomalous series in it that are anomalous, and in no scope before it
 * @param series in it at all
 */
public record Scope(Map<String, String> labels, int anomalous, int series) {
    /** Share of a scope's series that must be anomalous: four of five, since some are always late, idle or lucky. */
    static final double PURE = 0.8;

    private static final int MOST_LABELS = 3;
    private static final int LEAST_SERIES = 2;

    private static final Comparator<Scope> BEST = Comparator.comparingInt(Scope::anomalous)
            .reversed()
            .thenComparingInt(scope -> scope.labels().size())
            .thenComparing(scope -> -scope.anomalous() / (double) scope.series())
            .thenComparing(scope -> scope.labels().toString());

    /** Keeps labels in order of their names. */
    public Scope {
        labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    }

    /**
     * A series that was judged.
     *
     * @param labels which tell it from others
     * @param isAnomalous whether it is out of order
     */
    public record Subject(Map<String, String> labels, boolean isAnomalous) {
        /** Keeps labels in order of their names. */
        public Subject {
            labels = Collections.unmodifiableMap(new TreeMap<>(labels));
        }
    }

    /**
     * The scopes that together hold every anomalous series, greatest first. Takes the purest scopes that hold most first; those of up to {@value #MOST_LABELS} labels.
     *
     * @param judged all series that were judged at a time, those in order too
     */
    public static List<Scope> of(List<Subject> judged) {
        Map<Map<String, String>, List<Subject>> candidates = new HashMap<>();
        for (Subject subject : judged) {
            for (Map<String, String> labels : subsets(subject.labels())) {
                candidates.computeIfAbsent(labels, key -> new ArrayList<>()).add(subject);
            }
        }
        candidates.values().removeIf(members -> !isPure(members));
        Set<Subject> open =
                new LinkedHashSet<>(judged.stream().filter(Subject::isAnomalous).toList());
        List<Scope> scopes = new ArrayList<>();
        while (!open.isEmpty()) {
            Scope best = candidates.entrySet().stream()
                    .map(entry -> new Scope(
                            entry.getKey(),
                            (int) entry.getValue().stream()
                                    .filter(open::contains)
                                    .count(),
                            entry.getValue().size()))
                    .filter(scope -> scope.anomalous() >= LEAST_SERIES)
                    .min(BEST)
                    .orElse(null);
            if (best == null) {
                open.forEach(subject -> scopes.add(new Scope(subject.labels(), 1, 1)));
                break;
            }
            scopes.add(best);
            candidates.getOrDefault(best.labels(), List.of()).forEach(open::remove);
        }
        return scopes;
    }

    private static boolean isPure(List<Subject> members) {
        long anomalous = members.stream().filter(Subject::isAnomalous).count();
        return anomalous >= LEAST_SERIES && anomalous >= PURE * members.size();
    }

    private static List<Map<String, String>> subsets(Map<String, String> labels) {
        List<Map<String, String>> subsets = new ArrayList<>();
        subsets.add(Map.of());
        for (Map.Entry<String, String> label : labels.entrySet()) {
            for (Map<String, String> smaller : List.copyOf(subsets)) {
                if (smaller.size() < MOST_LABELS) {
                    Map<String, String> larger = new TreeMap<>(smaller);
                    larger.put(label.getKey(), label.getValue());
                    subsets.add(larger);
                }
            }
        }
        return subsets;
    }
}
