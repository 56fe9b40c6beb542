package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.graphs.JitterStudy.Insufficient;
import io.inferwatch.analytics.graphs.JitterStudy.Observed;
import io.inferwatch.analytics.graphs.Lags.Column;
import io.inferwatch.analytics.panel.Contrast;
import io.inferwatch.analytics.panel.Fit;
import io.inferwatch.analytics.panel.StratifiedRatio;
import io.inferwatch.analytics.panel.StratifiedRatio.Cell;
import io.inferwatch.analytics.panel.WithinLeastSquares;
import io.inferwatch.analytics.panel.WithinPoisson;
import io.inferwatch.analytics.shape.Estimate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The study of replicas as they ran. Everything is about failures per lazy capture in window t, each replica compared with itself:
 *
 * <ul>
 *   <li>effect: jitter in t - 1 and t - 2, with free memory and load in t - 1; the same with new shapes in t - 1 is the direct effect;
 *   <li>forward [Granger 1969]: the effect's lags, with failures in t - 1 as well;
 *   <li>reverse: jitter in t by failures in t - 1, with its own lags, free memory and load in t - 1;
 *   <li>placebo: jitter in t + 1 and t + 2 against that in t - 1 and t - 2, with that in t, and free memory and load in t and t - 1.
 * </ul>
 */
final class LaggedStudy {
    private static final double ALPHA = 0.05;

    private final Lags lags;
    private final double deviation;

    LaggedStudy(List<List<CaptureWindow>> replicas) {
        lags = new Lags(replicas);
        deviation = deviation(lags.map(0, (windows, t) -> windows.get(t - 1).jitter()));
    }

    JitterStudy result() {
        List<List<CaptureCounts>> captures =
                lags.map(0, (windows, t) -> windows.get(t).lazy());
        long failures = captures.stream()
                .flatMap(Collection::stream)
                .mapToLong(CaptureCounts::failures)
                .sum();
        int failing = (int) captures.stream()
                .filter(replica -> replica.stream().anyMatch(counts -> counts.failures() > 0))
                .count();
        Insufficient insufficient = new Insufficient(failures, failing);
        if (failures < JitterStudy.MIN_FAILURES || failing < JitterStudy.MIN_REPLICAS) {
            return insufficient;
        }
        Optional<Fit> effect = effect();
        Optional<Fit> forward = forward();
        Optional<Fit> reverse = reverse();
        Optional<Fit> placebo = placebo();
        if (effect.isEmpty()
                || effect.get().clusters() < JitterStudy.MIN_REPLICAS
                || forward.isEmpty()
                || reverse.isEmpty()
                || placebo.isEmpty()) {
            return insufficient;
        }
        Contrast total = bothLags(effect.get());
        double forwardP = forward.get().jointP(2);
        double reverseP = reverse.get().coefficient(0).p();
        Placebo lead = Placebo.of(
                placebo.get().contrast(1, 1).times(deviation),
                placebo.get().contrast(-1, -1, 1, 1).times(deviation),
                total.value());
        return new Observed(
                wording(total, forwardP, reverseP, lead),
                failures,
                effect.get().clusters(),
                total.ratio(),
                List.of(
                        effect.get().coefficient(0).times(deviation).ratio(),
                        effect.get().coefficient(1).times(deviation).ratio()),
                stratified(),
                forwardP,
                reverseP,
                lead,
                direct().map(fit -> Mediation.of(total, bothLags(fit))));
    }

    /** A placebo that fails takes back the order too: what comes after tells as much as what came before. */
    private static Wording wording(Contrast total, double forwardP, double reverseP, Placebo placebo) {
        Estimate log = total.estimate();
        if (log.low() <= 0 && log.high() >= 0) {
            return Wording.NO_ASSOCIATION;
        }
        boolean isOrdered = forwardP < ALPHA && reverseP >= ALPHA;
        if (!isOrdered || placebo.result() == Placebo.Result.FAILED) {
            return Wording.ASSOCIATION;
        }
        return placebo.result() == Placebo.Result.PASSED ? Wording.PLACEBO_PASSED : Wording.TEMPORAL_ORDER_SUPPORTED;
    }

    private Contrast bothLags(Fit fit) {
        return fit.contrast(1, 1).times(deviation);
    }

    private Optional<Fit> effect() {
        return failures(2, jitter(1), jitter(2), free(1), load(1));
    }

    private Optional<Fit> direct() {
        return failures(3, jitter(1), jitter(2), newShapes(1), free(1), load(1));
    }

    private Optional<Fit> forward() {
        return failures(2, jitter(1), jitter(2), failed(1), free(1), load(1));
    }

    private Optional<Fit> placebo() {
        return failures(5, jitter(-1), jitter(-2), jitter(1), jitter(2), jitter(0), free(0), free(1), load(0), load(1));
    }

    private Optional<Fit> reverse() {
        List<Column> columns = List.of(failed(1), jitter(1), jitter(2), free(1), load(1));
        return WithinLeastSquares.fit(lags.rows(CaptureWindow::jitter, window -> 1, 3, columns));
    }

    private Optional<Fit> failures(int required, Column... columns) {
        return WithinPoisson.fit(lags.rows(
                window -> window.lazy().failures(), window -> window.lazy().attempts(), required, List.of(columns)));
    }

    private static Column jitter(int lag) {
        return new Column(CaptureWindow::jitter, lag);
    }

    private static Column newShapes(int lag) {
        return new Column(CaptureWindow::newShapes, lag);
    }

    private static Column free(int lag) {
        return new Column(CaptureWindow::freeShare, lag);
    }

    private static Column load(int lag) {
        return new Column(CaptureWindow::load, lag);
    }

    /** Failures that were, on a scale on which ten are not ten times one. */
    private static Column failed(int lag) {
        return new Column(window -> Math.log1p((double) window.lazy().failures()), lag);
    }

    private Optional<Estimate> stratified() {
        double[] jitters = lags.sorted(jitter(1));
        double[] frees = lags.sorted(free(1));
        return StratifiedRatio.log(lags.map(0, (windows, t) -> {
                    CaptureWindow before = windows.get(t - 1);
                    CaptureCounts lazy = windows.get(t).lazy();
                    return new Cell(
                            before.stratum() + " " + quarter(before.freeShare(), frees),
                            before.jitter() > jitters[jitters.length / 2],
                            lazy.failures(),
                            lazy.attempts());
                }))
                .map(Contrast::ratio);
    }

    private static int quarter(double value, double[] sorted) {
        int quarter = 0;
        for (int i = 1; i < 4; i++) {
            quarter += value > sorted[sorted.length * i / 4] ? 1 : 0;
        }
        return quarter;
    }

    /** Standard deviation of jitter around each replica's own mean. */
    private static double deviation(List<List<Double>> jitters) {
        double squares = 0;
        int freedom = 0;
        for (List<Double> replica : jitters) {
            double mean =
                    replica.stream().mapToDouble(Double::doubleValue).average().orElse(0);
            for (double jitter : replica) {
                squares += (jitter - mean) * (jitter - mean);
            }
            freedom += Math.max(0, replica.size() - 1);
        }
        return freedom == 0 ? 0 : Math.sqrt(squares / freedom);
    }
}
