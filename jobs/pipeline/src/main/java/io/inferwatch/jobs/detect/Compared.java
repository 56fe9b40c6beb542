package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.FalseDiscovery;
import io.inferwatch.analytics.drift.Finding;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.BaselineRule;
import java.util.List;

/**
 * A value compared with the baseline's, which may still be turned down.
 *
 * @param group series of what both have in common
 */
record Compared(String group, ComparisonResult result) {
    /**
     * One of both.
     *
     * @param value of the dimension
     * @param sample what is known of it
     * @param window that tells in what bunches events come: its own, or the other's where it is gone
     */
    record Side(String value, Sample sample, WindowStat window) {}

    /** Compares. */
    static Compared of(BaselineRule rule, WatchedStatistic watched, Side current, Side baseline, double threshold) {
        DriftRule sideBySide = watched.sideBySide(threshold);
        Comparison comparison = watched.statistic()
                .against(watched.effective(baseline.sample, baseline.window), 1, sideBySide)
                .compare(watched.effective(current.sample, current.window));
        Judgement judgement = DriftResults.judgement(
                Finding.of(comparison, null, sideBySide), current.sample, baseline.sample, watched, false);
        if (watched.isBunched()) {
            judgement.setN(((Sample.Counts) current.sample).events());
            judgement.setBaselineN(((Sample.Counts) baseline.sample).events());
        }
        WindowStat window = current.window;
        return new Compared(
                window.getSeries(),
                new ComparisonResult(
                        rule.name(),
                        window.getView(),
                        window.getDimensions(),
                        rule.across(),
                        current.value,
                        baseline.value,
                        watched.watch().metric(),
                        watched.watch().statistic().label(),
                        window.getWindowMicros(),
                        window.getWindowEndMicros(),
                        rule.pinned(),
                        judgement,
                        false,
                        null));
    }

    /** Says of each what it is among all of its group's window, and turns down what chance would bring about as often. */
    static void keepShareOfFalseAlarms(List<Compared> all) {
        List<Judgement> tested = all.stream()
                .map(one -> one.result.getJudgement())
                .filter(judgement -> judgement.getP() != null)
                .toList();
        double[] q = FalseDiscovery.adjusted(
                tested.stream().mapToDouble(Judgement::getP).toArray());
        for (int i = 0; i < q.length; i++) {
            Judgement judgement = tested.get(i);
            judgement.setQ(q[i]);
            if (judgement.getVerdict() == Verdict.DRIFT && q[i] > FalseDiscovery.SHARE) {
                judgement.setVerdict(Verdict.INCONCLUSIVE);
            }
        }
    }
}
