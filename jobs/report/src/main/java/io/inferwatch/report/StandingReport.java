package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An answer to a {@link StandingRequest}.
 *
 * @param keys confirmed drift first, then by what was found, then the greatest change
 */
record StandingReport(StandingRequest request, List<Key> keys) {
    private static final List<String> FIELDS = List.of(
            Field.VERDICT,
            Field.UNIT,
            Field.CURRENT,
            Field.BASELINE,
            Field.CHANGE,
            Field.CHANGE_LOW,
            Field.CHANGE_HIGH,
            Field.N,
            Field.adjusted(Field.VERDICT),
            Field.adjusted(Field.CHANGE),
            Field.MIX_SHARE,
            Field.DRIFTING,
            Field.DRIFTING_SINCE_MICROS);

    StandingReport {
        keys = List.copyOf(keys);
    }

    /**
     * The latest verdict on one key; what was not known is empty.
     *
     * @param values of the request's tags
     * @param at end of the window that was judged
     * @param unit of current and baseline
     * @param change of all requests, whatever they asked
     * @param adjusted the verdict as if the traffic's mix had stayed
     * @param mixShare part of the change that is the traffic
     * @param driftingSince start of the drift that is confirmed
     */
    record Key(
            List<String> values,
            String statistic,
            Instant at,
            String verdict,
            String unit,
            OptionalDouble current,
            OptionalDouble baseline,
            OptionalDouble change,
            OptionalDouble low,
            OptionalDouble high,
            long n,
            Optional<String> adjusted,
            OptionalDouble adjustedChange,
            OptionalDouble mixShare,
            Optional<Instant> driftingSince,
            boolean isDrifting) {
        private static Key of(StandingRequest request, InfluxSeries series, InfluxRow row) {
            return new Key(
                    request.tags().stream()
                            .map(tag -> series.tags().getOrDefault(tag, ""))
                            .toList(),
                    series.tags().getOrDefault(Field.STATISTIC, ""),
                    TimeText.ofMicros(row.timeMicros()),
                    row.text(Field.VERDICT).orElse(""),
                    row.text(Field.UNIT).orElse(""),
                    row.real(Field.CURRENT),
                    row.real(Field.BASELINE),
                    row.real(Field.CHANGE),
                    row.real(Field.CHANGE_LOW),
                    row.real(Field.CHANGE_HIGH),
                    row.integer(Field.N).orElse(0),
                    row.text(Field.adjusted(Field.VERDICT)),
                    row.real(Field.adjusted(Field.CHANGE)),
                    row.real(Field.MIX_SHARE),
                    row.integer(Field.DRIFTING_SINCE_MICROS).stream()
                            .mapToObj(TimeText::ofMicros)
                            .findFirst(),
                    row.integer(Field.DRIFTING).orElse(0) == 1);
        }

        /** Sorts what is worse before what is better. */
        private int rank() {
            if (isDrifting) {
                return 0;
            }
            return switch (adjusted.orElse(verdict)) {
                case "DRIFT" -> 1;
                case "INCONCLUSIVE" -> 2;
                case "NO_DRIFT" -> 3;
                default -> 4;
            };
        }
    }

    /** Whether drift of any key is confirmed. */
    boolean hasDrift() {
        return keys.stream().anyMatch(Key::isDrifting);
    }

    /** Reads the latest point of each key that lies in the period. */
    static StandingReport read(StandingRequest request, InfluxReader reader) {
        List<Key> keys = new ArrayList<>();
        for (InfluxSeries series : reader.query(RetentionPolicy.R1M, query(request))) {
            series.rows().forEach(row -> keys.add(Key.of(request, series, row)));
        }
        keys.sort(Comparator.comparingInt(Key::rank)
                .thenComparing(key -> -key.change().orElse(Double.NEGATIVE_INFINITY))
                .thenComparing(key -> String.join("/", key.values()) + "/" + key.statistic()));
        return new StandingReport(request, keys);
    }

    private static String query(StandingRequest request) {
        String fields = FIELDS.stream().map(InfluxQl::identifier).collect(Collectors.joining(", "));
        String statistic = request.statistic()
                .map(label -> " AND " + InfluxQl.identifier(Field.STATISTIC) + " = " + InfluxQl.string(label))
                .orElse("");
        return "SELECT " + fields + " FROM " + InfluxQl.identifier(Measurement.DRIFT.measurementName()) + " WHERE "
                + InfluxQl.identifier(Field.VIEW) + " = "
                + InfluxQl.string(request.view().name()) + " AND "
                + InfluxQl.identifier(Field.METRIC) + " = " + InfluxQl.string(request.metric()) + statistic
                + " AND time > " + InfluxQl.instant(TimeText.micros(request.from()))
                + " AND time <= " + InfluxQl.instant(TimeText.micros(request.to()))
                + Stream.concat(request.tags().stream(), Stream.of(Field.STATISTIC))
                        .map(InfluxQl::identifier)
                        .collect(Collectors.joining(", ", " GROUP BY ", " ORDER BY time DESC LIMIT 1"));
    }
}
