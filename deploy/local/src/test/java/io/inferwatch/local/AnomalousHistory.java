package io.inferwatch.local;

import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What detectors that have learned for days would say of a fleet of minutes: three replicas of a version that is gone, one of which is slow for the last eight minutes, and a KV cache that was fuller than
 * usual for a while.
 */
final class AnomalousHistory {
    private static final int REPLICAS = 3;
    private static final int SLOW = 1;
    private static final int SLOW_MINUTES = 8;
    private static final long MINUTE_MICROS = 60_000_000;

    private AnomalousHistory() {}

    static void publish(Instant start, Duration span, Consumer<FigureResult> sink) {
        long first = ChronoUnit.MICROS.between(Instant.EPOCH, start.truncatedTo(ChronoUnit.MINUTES)) + MINUTE_MICROS;
        int minutes = (int) span.toMinutes() - 1;
        for (int minute = 0; minute < minutes; minute++) {
            long end = first + minute * MINUTE_MICROS;
            for (int replica = 0; replica < REPLICAS; replica++) {
                boolean isSlow = replica == SLOW && minute >= minutes - SLOW_MINUTES;
                double wave = Math.sin(minute / 9.0 + replica);
                double ttft = (0.4 + 0.02 * wave) * (isSlow ? 2.4 : 1);
                double use = 0.6 + 0.03 * wave;
                sink.accept(judged("replica-version", replica, "ttft", "p50", end, ttft, 0.34, 0.46, isSlow));
                sink.accept(judged("engine-replica", replica, "kv_use", "mean", end, use, 0.5, 0.7, false));
                sink.accept(figures(
                        "straggler",
                        "replica-version",
                        replica(replica, "ttft", "p50"),
                        end,
                        Map.of("told", isSlow ? 1L : 0L, "promoted", 1L),
                        Map.of("score", isSlow ? 4.2 : 0.1 + 0.1 * wave, "observed", ttft, "peers", 0.4, "usual", 0.4),
                        Map.of("unit", "seconds")));
            }
        }
        long slowSince = first + (minutes - SLOW_MINUTES - 1) * MINUTE_MICROS;
        sink.accept(finding("replica=replica-1,version=v0", slowSince + 2 * MINUTE_MICROS, slowSince, "OPEN", 1));
        sink.accept(finding("view=engine-replica", first + 5 * MINUTE_MICROS, first + 3 * MINUTE_MICROS, "OPEN", 0));
        sink.accept(
                finding("view=engine-replica", first + 12 * MINUTE_MICROS, first + 3 * MINUTE_MICROS, "RESOLVED", 0));
    }

    private static FigureResult judged(
            String view,
            int replica,
            String metric,
            String statistic,
            long endMicros,
            double observed,
            double low,
            double high,
            boolean isTold) {
        return figures(
                "anomaly",
                view,
                replica(replica, metric, statistic),
                endMicros,
                Map.of("told", isTold ? 1L : 0L, "promoted", 1L, "accepted", 0L),
                Map.of(
                        "score", isTold ? 0.8 : 0.1,
                        "chance", isTold ? 1e-11 : 1,
                        "observed", observed,
                        "expected_low", low,
                        "expected_high", high),
                Map.of("state", isTold ? "ANOMALOUS" : "OK", "channel", "JUMP", "unit", "seconds"));
    }

    private static FigureResult finding(String name, long endMicros, long sinceMicros, String state, long promoted) {
        boolean isOpen = state.equals("OPEN");
        Map<String, Long> counts = new TreeMap<>(Map.of("promoted", promoted, "starts_at_micros", sinceMicros));
        Map<String, String> texts = new TreeMap<>(Map.of("state", state, "summary", name + " is not as usual"));
        if (isOpen) {
            counts.put("anomalous", 1L);
            counts.put("series", 1L);
            texts.put("labels", name);
            texts.put("evidence", "ttft.p50 of replica-1 is 0.9600, expected 0.3400 to 0.4600 (JUMP)");
        }
        return figures(
                "anomaly_finding",
                "replica-version",
                List.of(new Dimension("finding", name)),
                endMicros,
                counts,
                Map.of(),
                texts);
    }

    private static List<Dimension> replica(int replica, String metric, String statistic) {
        return List.of(
                new Dimension("replica", "replica-" + replica),
                new Dimension("version", "v0"),
                new Dimension("metric", metric),
                new Dimension("statistic", statistic));
    }

    private static FigureResult figures(
            String kind,
            String view,
            List<Dimension> dimensions,
            long endMicros,
            Map<String, Long> counts,
            Map<String, Double> values,
            Map<String, String> texts) {
        return new FigureResult(kind, view, dimensions, MINUTE_MICROS, endMicros, counts, values, texts);
    }
}
