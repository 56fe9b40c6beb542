package io.inferwatch.local.bench;

import io.inferwatch.analytics.anomaly.AnomalyDetector;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.Judgement;
import io.inferwatch.analytics.anomaly.Scale;
import io.inferwatch.local.bench.NabCorpus.Series;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/**
 * A detector of all channels, as jobs run it, over the rows of a series at their own times: windows as long as rows are usually apart, each with values enough. An anomaly is scored where it
 * begins, and above all others where it is told. Rows that are not after those before are left out, as jobs do.
 */
final class WholeDetector implements IntToDoubleFunction {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final long MICROS = 1_000_000;

    private final double[] values;
    private final long[] atMicros;
    private final AnomalyDetector detector;

    WholeDetector(Series series) {
        values = series.numbers();
        atMicros = series.times().stream()
                .mapToLong(time -> MICROS * LocalDateTime.parse(time, TIME).toEpochSecond(ZoneOffset.UTC))
                .toArray();
        detector = new AnomalyDetector(AnomalyRule.STANDARD, Scale.LINEAR, Duration.ofNanos(1_000 * usual(atMicros)));
    }

    private static long usual(long[] times) {
        long[] apart = new long[times.length - 1];
        for (int i = 0; i < apart.length; i++) {
            apart[i] = times[i + 1] - times[i];
        }
        Arrays.sort(apart);
        return Math.max(MICROS, apart[apart.length / 2]);
    }

    @Override
    public double applyAsDouble(int row) {
        if (atMicros[row] <= detector.lastEndMicros()) {
            return 0;
        }
        boolean wasAnomalous = detector.isAnomalous();
        Optional<Judgement> judged = detector.observe(atMicros[row], values[row], Long.MAX_VALUE);
        boolean isTold = judged.filter(Judgement::alarm).isPresent();
        boolean begins = detector.isAnomalous() && !wasAnomalous;
        double score = judged.map(Judgement::score).orElse(0.0) / 2;
        return isTold ? 0.5 + score : begins ? score : 0;
    }
}
