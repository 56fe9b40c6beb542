package io.inferwatch.local.live;

import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Where the requests of each replica spent their time before and after a moment: means of the engine's stages over whole minutes in InfluxDB. */
final class StageTable {
    private static final String HEADER = "%-12s   %10s %10s   %12s %10s   %11s %10s";

    private enum Stage {
        QUEUE,
        PREFILL,
        DECODE;

        String field(String suffix) {
            return name().toLowerCase(Locale.ROOT) + suffix;
        }
    }

    /** Exact, since windows have their n and mean. */
    private static final class Sums {
        private final Map<Stage, Long> n = new EnumMap<>(Stage.class);
        private final Map<Stage, Double> seconds = new EnumMap<>(Stage.class);
        private long requests;

        void add(InfluxRow row) {
            requests += row.integer("requests").orElse(0);
            for (Stage stage : Stage.values()) {
                long count = row.integer(stage.field("_n")).orElse(0);
                if (count > 0) {
                    double mean = row.real(stage.field("_mean_seconds")).orElseThrow();
                    n.merge(stage, count, Long::sum);
                    seconds.merge(stage, count * mean, Double::sum);
                }
            }
        }

        long n(Stage stage) {
            return n.getOrDefault(stage, 0L);
        }

        String mean(Stage stage) {
            return n(stage) == 0
                    ? "-"
                    : String.format(Locale.ROOT, "%.3f s", seconds.getOrDefault(stage, 0.0) / n(stage));
        }
    }

    private final Map<String, Sums> before = new TreeMap<>();
    private final Map<String, Sums> after = new TreeMap<>();

    private StageTable() {}

    /** Windows that began at or after {@code from}, ended at or before {@code to}, and do not hold the moment {@code at}. */
    static StageTable read(InfluxReader reader, Instant from, Instant at, Instant to) {
        StageTable table = new StageTable();
        add(reader, from, at, table.before);
        add(reader, at, to, table.after);
        return table;
    }

    /** Whether there are requests, and every one of them has every stage. */
    boolean isWhole() {
        return !before.isEmpty() && isWhole(before) && isWhole(after);
    }

    /** A header and a line for each replica. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER.formatted("replica", "queue mean", "after", "prefill mean", "after", "decode mean", "after"));
        before.forEach((replica, then) -> {
            Sums now = after.getOrDefault(replica, new Sums());
            lines.add(HEADER.formatted(
                    replica,
                    then.mean(Stage.QUEUE),
                    now.mean(Stage.QUEUE),
                    then.mean(Stage.PREFILL),
                    now.mean(Stage.PREFILL),
                    then.mean(Stage.DECODE),
                    now.mean(Stage.DECODE)));
        });
        return lines;
    }

    private static boolean isWhole(Map<String, Sums> side) {
        for (Sums sums : side.values()) {
            for (Stage stage : Stage.values()) {
                if (sums.n(stage) != sums.requests) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void add(InfluxReader reader, Instant from, Instant to, Map<String, Sums> side) {
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT requests, queue_n, queue_mean_seconds, prefill_n, prefill_mean_seconds, decode_n, decode_mean_seconds"
                        + " FROM \"request\" WHERE \"view\" = 'replica-version' AND time > " + micros(from)
                        + "u AND time <= " + micros(to) + "u GROUP BY \"replica\"")) {
            Sums sums = side.computeIfAbsent(series.tags().getOrDefault("replica", ""), name -> new Sums());
            series.rows().forEach(sums::add);
        }
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
