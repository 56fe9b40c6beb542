package io.inferwatch.schemas.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A statistic of a metric that is judged, as users write it: {@code ttft.p99}, {@code e2e.mean}, {@code error_ratio.share}.
 *
 * @param metric a metric, or a ratio
 */
public record Watch(String metric, Statistic statistic) {
    /** What is compared of a metric. */
    public enum Statistic {
        P50,
        P90,
        P95,
        P99,
        MEAN,
        /** The value of a ratio. */
        SHARE,
        /** A sum over time. */
        RATE;

        /** As users write it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The statistic of that label. */
        public static Optional<Statistic> of(String label) {
            return Arrays.stream(values())
                    .filter(statistic -> statistic.label().equals(label))
                    .findFirst();
        }
    }

    private static final List<Statistic> OF_DISTRIBUTIONS =
            List.of(Statistic.MEAN, Statistic.P50, Statistic.P90, Statistic.P95, Statistic.P99);

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    static Watch parse(String text, List<Metric> metrics, List<Ratio> ratios) {
        int dot = text.lastIndexOf('.');
        String name = dot < 0 ? text : text.substring(0, dot);
        List<Statistic> fitting = fitting(name, metrics, ratios);
        Optional<Statistic> statistic = Statistic.of(text.substring(dot + 1));
        if (fitting.isEmpty()) {
            throw new IllegalArgumentException(
                    "a metric whose windows can be compared (kinds quantile, sum, counter) or a ratio, and one of its statistics, as in ttft.p99");
        }
        if (statistic.isEmpty() || !fitting.contains(statistic.get())) {
            throw new IllegalArgumentException(name + "."
                    + fitting.stream().map(Statistic::label).collect(Collectors.joining(" or " + name + ".")));
        }
        return new Watch(name, statistic.get());
    }

    private static List<Statistic> fitting(String name, List<Metric> metrics, List<Ratio> ratios) {
        if (ratios.stream().anyMatch(ratio -> ratio.name().equals(name))) {
            return List.of(Statistic.SHARE);
        }
        return metrics.stream()
                .filter(metric -> metric.name().equals(name))
                .findFirst()
                .map(metric -> switch (metric.kind()) {
                    case QUANTILE -> OF_DISTRIBUTIONS;
                    case SUM, COUNTER -> List.of(Statistic.RATE);
                    case GAUGE, HISTOGRAM -> List.<Statistic>of();
                })
                .orElse(List.of());
    }

    @Override
    public String toString() {
        return metric + "." + statistic.label();
    }
}
