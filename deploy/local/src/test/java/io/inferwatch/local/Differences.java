package io.inferwatch.local;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.local.ExactWindows.Window;
import io.inferwatch.local.ExactWindows.WindowKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where windows differ from those of {@link ExactWindows}, in words. */
final class Differences {
    static final double TOLERANCE = 0.004;

    static final Map<String, Double> QUANTILES =
            new TreeMap<>(Map.of("p50", 0.5, "p90", 0.9, "p95", 0.95, "p99", 0.99, "p999", 0.999));

    /** Metrics by the divisor of their stored unit; times are in seconds in InfluxDB. */
    private static final Map<String, Double> SCALES = new TreeMap<>(Map.of(
            "ttft", 1e6, "tpot", 1e9, "e2e", 1e6, "prompt_tokens", 1.0, "output_tokens", 1.0, "sequence_tokens", 1.0));

    /** What points of ten seconds hold. */
    private static final List<String> BRIEF_METRICS = List.of("ttft", "tpot", "itl", "e2e", "queue");

    private static final List<String> BRIEF_QUANTILES = List.of("p50", "p99");

    private Differences() {}

    /** How the points of that policy in a span of time differ from the windows; empty when they do not. */
    static List<String> inInfluxDb(
            InfluxConnection influx,
            RetentionPolicy policy,
            Map<WindowKey, Window> expected,
            Instant from,
            Instant to) {
        Map<WindowKey, Window> stored = new HashMap<>(expected);
        stored.keySet()
                .removeIf(key -> key.windowMicros() == ExactWindows.TEN_SECONDS
                        && !List.of("fleet", "model-version", "replica-version").contains(key.view()));
        long length = stored.keySet().iterator().next().windowMicros();
        Map<WindowKey, InfluxRow> found = new HashMap<>();
        try (InfluxClient client = InfluxClient.open(influx)) {
            for (InfluxSeries series : new InfluxReader(client).query(policy, selection(from, to))) {
                String view = series.tags().getOrDefault("view", "");
                Map<String, String> dimensions = new TreeMap<>();
                ExactWindows.VIEWS
                        .getOrDefault(view, List.of())
                        .forEach(name -> dimensions.put(name, series.tags().getOrDefault(name, "")));
                for (InfluxRow row : series.rows()) {
                    // Heartbeats alone make windows too: they hold no more than gauges.
                    if (row.integer("requests").orElse(0) > 0) {
                        found.put(new WindowKey(view, dimensions, length, row.timeMicros()), row);
                    }
                }
            }
        }
        List<String> differences = new ArrayList<>(missingAndUnexpected(stored, found));
        found.forEach((key, row) -> {
            Window window = stored.get(key);
            if (window != null) {
                compare(key, window, row, differences);
            }
        });
        return shortened(differences);
    }

    private static void compare(WindowKey key, Window window, InfluxRow row, List<String> differences) {
        long requests = row.integer("requests").orElse(0);
        if (requests != window.requests()) {
            differences.add(key + ": " + window.requests() + " requests, found " + requests);
        }
        boolean isBrief = key.windowMicros() == ExactWindows.TEN_SECONDS;
        SCALES.forEach((metric, scale) -> {
            List<Long> values = isBrief && !BRIEF_METRICS.contains(metric)
                    ? List.of()
                    : window.values().getOrDefault(metric, List.of());
            long n = row.integer(metric + "_n").orElse(0);
            if (n != values.size()) {
                differences.add(key + " " + metric + ": n " + values.size() + ", found " + n);
                return;
            }
            QUANTILES.forEach((name, q) -> {
                OptionalDouble value = row.real(field(metric, name));
                boolean isTold =
                        n > 0 && (!name.equals("p999") || n >= 3_700) && (!isBrief || BRIEF_QUANTILES.contains(name));
                if (value.isPresent() != isTold) {
                    differences.add(key + " " + metric + " " + name + " of " + n + " values: found " + value);
                } else if (isTold) {
                    near(
                            key + " " + metric + " " + name,
                            ExactWindows.quantile(values, q) / scale,
                            value.getAsDouble(),
                            differences);
                }
            });
            boolean hasLimits = row.real(field(metric, "p99_low")).isPresent();
            if (hasLimits != n >= 368) {
                differences.add(key + " " + metric + " of " + n + " values: limits of p99 " + hasLimits);
            }
        });
    }

    private static String field(String metric, String statistic) {
        return metric + "_" + statistic + (metric.endsWith("_tokens") ? "" : "_seconds");
    }

    private static String selection(Instant from, Instant to) {
        StringBuilder fields = new StringBuilder("SELECT requests");
        SCALES.keySet().forEach(metric -> {
            fields.append(", ").append(metric).append("_n, ").append(field(metric, "p99_low"));
            QUANTILES.keySet().forEach(name -> fields.append(", ").append(field(metric, name)));
        });
        return fields + " FROM \"request\" WHERE time > "
                + from.toEpochMilli() + "ms AND time <= "
                + to.toEpochMilli() + "ms GROUP BY *";
    }

    static List<String> missingAndUnexpected(Map<WindowKey, ?> expected, Map<WindowKey, ?> found) {
        List<String> differences = new ArrayList<>();
        expected.keySet().stream()
                .filter(key -> !found.containsKey(key))
                .forEach(key -> differences.add("missing " + key));
        found.keySet().stream()
                .filter(key -> !expected.containsKey(key))
                .forEach(key -> differences.add("unexpected " + key));
        return differences;
    }

    static void near(String what, double exact, double found, List<String> differences) {
        if (Math.abs(found - exact) > TOLERANCE * exact) {
            differences.add(what + ": " + exact + ", found " + found);
        }
    }

    /** The first differences of each kind, and how many there are. */
    static List<String> shortened(List<String> differences) {
        Map<String, List<String>> byKind = differences.stream()
                .collect(Collectors.groupingBy(text -> text.substring(0, 7), TreeMap::new, Collectors.toList()));
        return byKind.values().stream()
                .flatMap(kind -> Stream.concat(kind.stream().limit(5), Stream.of(kind.size() + " of this kind")))
                .toList();
    }
}
