package io.inferwatch.local.bench;

import io.inferwatch.analytics.anomaly.AnomalyDetector;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.Judgement;
import io.inferwatch.analytics.anomaly.Scale;
import io.inferwatch.analytics.anomaly.State;
import io.inferwatch.local.bench.NabCorpus.Series;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;

/**
 * A detector of all channels, as jobs run it, over the rows of a series at their own times: windows as long as rows are usually apart, each with values enough. A state is scored where it
 * begins: SUSPECT up to a third, ANOMALOUS up to two, and what is told above. Rows that are not after those before are left out, as jobs do.
 */
final class WholeDetector implements IntToDoubleFunction {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final long MICROS = 1_000_000;

    private final double[] values;
    private final long[] atMicros;
    private final AnomalyDetector detector;
    private State state = State.LEARNING;

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
        Judgement judged =
                detector.observe(atMicros[row], values[row], Long.MAX_VALUE).orElse(null);
        if (judged == null) {
            return 0;
        }
        State before = state;
        state = judged.state();
        double score = judged.score() / 3;
        if (judged.alarm()) {
            return 2.0 / 3 + score;
        }
        if (state == State.ANOMALOUS) {
            return before == State.ANOMALOUS ? 0 : 1.0 / 3 + score;
        }
        return state == State.SUSPECT && before != State.SUSPECT ? score : 0;
    }
}
