package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.shape.Correlation;
import io.inferwatch.analytics.shape.Spread;
import io.inferwatch.influx.Field;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.FigureRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How full the context window was and how much of the prompt came from the cache, together: requests in each of 10 x 10 cells
 * ({@code fill_90_reuse_30}: from 90 % on, and from 30 % on), both marginals, their means and {@link Correlation}. Zeros are told too.
 */
final class KvJointFigures {
    private static final int STEPS = 10;
    private static final double MILLIONTHS = 1e-6;

    private KvJointFigures() {}

    /** Arms are {@code fill.reuse}, in percent. */
    static List<FigureResult> of(Map<String, WindowStat> byArm) {
        FigureBuilder result = new FigureBuilder(
                FigureRule.Kind.KV_JOINT, byArm.values().iterator().next());
        List<Correlation.Cell> cells = new ArrayList<>();
        QuantileSketch fill = new QuantileSketch();
        QuantileSketch reuse = new QuantileSketch();
        long[] byFill = new long[STEPS];
        long[] byReuse = new long[STEPS];
        for (int i = 0; i < STEPS; i++) {
            for (int j = 0; j < STEPS; j++) {
                WindowStat window = byArm.get(percent(i) + "." + percent(j));
                long n = 0;
                if (window != null) {
                    WindowReading reading = new WindowReading(window);
                    Optional<QuantileSketch> x = reading.distribution("context_fill");
                    Optional<QuantileSketch> y = reading.distribution("cache_reuse");
                    if (x.isPresent() && y.isPresent()) {
                        n = x.get().n();
                        fill.merge(x.get());
                        reuse.merge(y.get());
                        cells.add(new Correlation.Cell(Moments.of(x.get()), Moments.of(y.get())));
                    }
                }
                byFill[i] += n;
                byReuse[j] += n;
                result.count(Field.cell(percent(i), percent(j)), n);
            }
        }
        for (int i = 0; i < STEPS; i++) {
            result.count(Field.step(Field.FILL, percent(i)), byFill[i])
                    .count(Field.step(Field.REUSE, percent(i)), byReuse[i]);
        }
        return List.of(result.count(Field.N, fill.n())
                .estimate(Field.FILL, "", MILLIONTHS, Spread.of(fill).map(Spread::mean))
                .estimate(Field.REUSE, "", MILLIONTHS, Spread.of(reuse).map(Spread::mean))
                .estimate(Field.CORRELATION, Correlation.of(cells))
                .build());
    }

    private static int percent(int step) {
        return 100 / STEPS * step;
    }
}
