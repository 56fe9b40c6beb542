package io.inferwatch.report;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.FalseDiscovery;
import io.inferwatch.analytics.drift.Finding;
import io.inferwatch.analytics.drift.PastWindows;
import io.inferwatch.analytics.drift.PredictionInterval;
import io.inferwatch.analytics.drift.Statistic;
import io.inferwatch.analytics.drift.Verdict;
import io.inferwatch.report.Arms.Arm;
import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a {@link ComparisonRequest}. Two values that were there at the same time differ by nothing else, so that the test within
 * windows is enough; otherwise DRIFT also needs a value outside of what the baseline's minutes let expect, and twelve of them. Over all
 * values that could be measured the share of false alarms is kept below {@value FalseDiscovery#SHARE}: what would exceed it is INCONCLUSIVE.
 *
 * @param judged drift first, then the largest n
 */
record ComparisonReport(ComparisonRequest request, Side baseline, List<Judged> judged) {

    ComparisonReport {
        judged = List.copyOf(judged);
    }

    /**
     * One value of the dimension.
     *
     * @param statistic in the metric's base unit
     * @param minutes with data
     */
    record Side(String value, long n, double statistic, long minutes) {}

    /**
     * One value against the baseline.
     *
     * @param isBeside whether both were there at the same time
     * @param q least share of false alarms at which it is among the alarms; empty where not estimable
     */
    record Judged(Side side, boolean isBeside, Finding finding, OptionalDouble q) {
        Verdict verdict() {
            return finding.verdict() == Verdict.DRIFT && q.orElse(1) > FalseDiscovery.SHARE
                    ? Verdict.INCONCLUSIVE
                    : finding.verdict();
        }
    }

    /** Whether any value has drifted. */
    boolean hasDrift() {
        return judged.stream().anyMatch(one -> one.verdict() == Verdict.DRIFT);
    }

    /**
     * Judges what was read; without anything judged when there is nothing but the baseline.
     *
     * @throws InvalidRequestException when a value that was asked for is not there
     */
    static ComparisonReport of(ComparisonRequest request, Arms arms) {
        Map<String, Arm> byValue = arms.byValue();
        Arm baseline = require("--baseline", request.baseline(), request, byValue);
        Map<String, Arm> candidates = new TreeMap<>(byValue);
        candidates.remove(request.baseline());
        request.candidate().ifPresent(candidate -> {
            require("--candidate", candidate, request, byValue);
            candidates.keySet().retainAll(Set.of(candidate));
        });
        Statistic statistic = request.test();
        Statistic.Against against = statistic.against(baseline.sample(), 1, request.rule());
        Optional<PastWindows> past = PastWindows.of(statistic.scale(), arms.scores(), request.rule());
        List<Judged> alone = new ArrayList<>();
        candidates.forEach((value, arm) -> {
            boolean isBeside = arm.isBeside(baseline);
            DriftRule rule = isBeside ? request.rule().withMinWindows(0) : request.rule();
            OptionalDouble score = statistic.score(arm.sample());
            @Nullable
            PredictionInterval between =
                    past.isEmpty() || score.isEmpty() ? null : past.get().place(score.getAsDouble());
            Finding finding = Finding.of(against.compare(arm.sample()), between, rule);
            alone.add(new Judged(side(request, value, arm), isBeside, finding, OptionalDouble.empty()));
        });
        return new ComparisonReport(request, side(request, request.baseline(), baseline), together(alone));
    }

    private static List<Judged> together(List<Judged> alone) {
        double[] adjusted = FalseDiscovery.adjusted(alone.stream()
                .map(judged -> judged.finding().comparison())
                .filter(Measured.class::isInstance)
                .mapToDouble(comparison -> ((Measured) comparison).p())
                .toArray());
        List<Judged> together = new ArrayList<>();
        int measured = 0;
        for (Judged one : alone) {
            Comparison comparison = one.finding().comparison();
            OptionalDouble q =
                    comparison instanceof Measured ? OptionalDouble.of(adjusted[measured++]) : OptionalDouble.empty();
            together.add(new Judged(one.side(), one.isBeside(), one.finding(), q));
        }
        together.sort(Comparator.comparing((Judged one) -> one.verdict() != Verdict.DRIFT)
                .thenComparing(one -> -one.side().n())
                .thenComparing(one -> one.side().value()));
        return together;
    }

    private static Side side(ComparisonRequest request, String value, Arm arm) {
        double stored = request.test().value(arm.sample()).orElse(0);
        return new Side(
                value,
                arm.sketch().n(),
                request.sketches().inBaseUnit(stored),
                arm.minutes().size());
    }

    private static Arm require(String option, String value, ComparisonRequest request, Map<String, Arm> byValue) {
        Arm arm = byValue.get(value);
        if (arm == null) {
            Set<String> known = byValue.keySet();
            throw new InvalidRequestException(option + ": must be a " + request.dimension() + " with data from "
                    + request.sketches().from() + " to " + request.sketches().to() + ", found '" + value + "'"
                    + Settings.nearest(value, known));
        }
        return arm;
    }
}
