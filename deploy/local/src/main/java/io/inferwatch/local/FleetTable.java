package io.inferwatch.local;

import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The fleet by model over a span of time, put together from the one-minute windows that InfluxDB holds, as lines of text. */
final class FleetTable {
    private static final double CONFIDENCE = 0.95;
    private static final String HEADER = "%-28s %8s %10s %10s %-19s %10s %8s";

    /** Views that leave requests out. */
    private static final Set<String> PARTIAL_VIEWS = MetricCatalogue.shipped().views().stream()
            .filter(View::knownOnly)
            .map(View::name)
            .collect(Collectors.toSet());

    /** A distribution of seconds, as far as anything is known of it. */
    private static final class Latency {
        private final QuantileSketch sketch = new QuantileSketch();

        void add(String base64) {
            sketch.merge(SketchEncoding.decode(Base64.getDecoder().decode(base64)));
        }

        OptionalDouble quantile(double q) {
            return sketch.n() == 0 ? OptionalDouble.empty() : OptionalDouble.of(sketch.quantile(q) / 1e6);
        }

        Optional<QuantileInterval> limits(double q) {
            return QuantileInterval.of(sketch, q, CONFIDENCE);
        }
    }

    private static final class Model {
        private final Latency ttft = new Latency();
        private final Latency e2e = new Latency();
        private long requests;
        private long failed;
    }

    private final Map<String, Model> models = new TreeMap<>();
    private final Map<String, Long> requestsByView = new TreeMap<>();

    private FleetTable() {}

    /** The windows that ended after {@code from} and not after {@code to}. */
    static FleetTable read(InfluxReader reader, Instant from, Instant to) {
        FleetTable table = new FleetTable();
        String span = " AND time > " + micros(from) + "u AND time <= " + micros(to) + "u";
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT requests, failed, ttft_sketch, e2e_sketch FROM \"request\" WHERE \"view\" = 'model-version'"
                        + span + " GROUP BY \"model\"")) {
            Model model = table.models.computeIfAbsent(series.tags().getOrDefault("model", ""), name -> new Model());
            for (InfluxRow row : series.rows()) {
                model.requests += row.integer("requests").orElse(0);
                model.failed += row.integer("failed").orElse(0);
                row.text("ttft_sketch").ifPresent(model.ttft::add);
                row.text("e2e_sketch").ifPresent(model.e2e::add);
            }
        }
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT sum(requests) AS requests FROM \"request\" WHERE \"view\" =~ /./" + span
                        + " GROUP BY \"view\"")) {
            String view = series.tags().getOrDefault("view", "");
            for (InfluxRow row : PARTIAL_VIEWS.contains(view) ? List.<InfluxRow>of() : series.rows()) {
                table.requestsByView.put(view, row.integer("requests").orElse(0));
            }
        }
        return table;
    }

    /** All requests, by the sum over the windows of the view that has the fewest: 0 as long as there is none. */
    long requests() {
        return requestsByView.values().stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Whether the windows of every view add up to this many requests, and so do the lines of this table. */
    boolean addsUpTo(long expected) {
        return !requestsByView.isEmpty()
                && requestsByView.values().stream().allMatch(sum -> sum == expected)
                && models.values().stream().mapToLong(model -> model.requests).sum() == expected;
    }

    /** How many views there are. */
    int views() {
        return requestsByView.size();
    }

    /** A header and a line for each model. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER.formatted("model", "n", "TTFT p50", "TTFT p99", "95 % limits of p99", "E2E p99", "errors"));
        models.forEach((name, model) -> lines.add(HEADER.formatted(
                name,
                "%,d".formatted(model.requests),
                seconds(model.ttft.quantile(0.5)),
                seconds(model.ttft.quantile(0.99)),
                model.ttft
                        .limits(0.99)
                        .map(limits -> "%s to %s".formatted(seconds(limits.low()), seconds(limits.high())))
                        .orElse("not estimable"),
                seconds(model.e2e.quantile(0.99)),
                "%,d".formatted(model.failed))));
        return lines;
    }

    private static String seconds(OptionalDouble value) {
        return value.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f s", value.getAsDouble());
    }

    private static String seconds(double micros) {
        return seconds(OptionalDouble.of(micros / 1e6));
    }

    private static long micros(Instant instant) {
        return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
    }
}
