package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /** What may be judged. */
    enum Kinds {
        /** What tests of drift and comparisons can take: distributions, counts, shares. */
        TESTED,
        /** All that has a value in each window: of states the mean over time too. */
        FOLLOWED
    }

    private static final List<Statistic> OF_DISTRIBUTIONS =
            List.of(Statistic.MEAN, Statistic.P50, Statistic.P90, Statistic.P95, Statistic.P99);

    /** The statistics in a section's list under the key {@code of}; what is none is a problem of the section. */
    static List<Watch> read(Settings entry, List<Metric> metrics, List<Ratio> ratios) {
        return read(entry, metrics, ratios, Kinds.TESTED);
    }

    /** The same of what may be judged. */
    static List<Watch> read(Settings entry, List<Metric> metrics, List<Ratio> ratios, Kinds kinds) {
        List<Watch> watches = new ArrayList<>();
        List<String> items = entry.list("of", Function.identity(), List.of());
        if (items.isEmpty()) {
            entry.problem("of", "at least one statistic of a metric, as in ttft.p99", "none");
        }
        for (int i = 0; i < items.size(); i++) {
            String text = items.get(i);
            int dot = text.lastIndexOf('.');
            String name = dot < 0 ? text : text.substring(0, dot);
            List<Statistic> fitting = fitting(name, metrics, ratios, kinds);
            Optional<Statistic> statistic =
                    Statistic.of(text.substring(dot + 1)).filter(fitting::contains);
            if (statistic.isPresent()) {
                watches.add(new Watch(name, statistic.get()));
            } else {
                entry.problem(
                        "of[" + i + "]",
                        fitting.isEmpty()
                                ? (kinds == Kinds.TESTED
                                                ? "a metric whose windows can be compared (kinds quantile, sum, counter)"
                                                : "a metric of any kind but histogram")
                                        + " or a ratio, and one of its statistics, as in ttft.p99"
                                : fitting.stream()
                                        .map(one -> new Watch(name, one).toString())
                                        .collect(Collectors.joining(" or ")),
                        "'" + text + "'" + Settings.nearest(text, all(metrics, ratios, kinds)));
            }
        }
        return watches;
    }

    /** Whether the metric or ratio of that name has a statistic that can be judged. */
    static boolean isJudgeable(String name, List<Metric> metrics, List<Ratio> ratios) {
        return !fitting(name, metrics, ratios, Kinds.TESTED).isEmpty();
    }

    /** All that can be judged, as users write it. */
    private static List<String> all(List<Metric> metrics, List<Ratio> ratios, Kinds kinds) {
        return Stream.concat(metrics.stream().map(Metric::name), ratios.stream().map(Ratio::name))
                .flatMap(name ->
                        fitting(name, metrics, ratios, kinds).stream().map(one -> new Watch(name, one).toString()))
                .toList();
    }

    private static List<Statistic> fitting(String name, List<Metric> metrics, List<Ratio> ratios, Kinds kinds) {
        if (ratios.stream().anyMatch(ratio -> ratio.name().equals(name))) {
            return List.of(Statistic.SHARE);
        }
        return metrics.stream()
                .filter(metric -> metric.name().equals(name))
                .findFirst()
                .map(metric -> switch (metric.kind()) {
                    case QUANTILE -> OF_DISTRIBUTIONS;
                    case SUM, COUNTER -> List.of(Statistic.RATE);
                    case GAUGE -> kinds == Kinds.FOLLOWED ? List.of(Statistic.MEAN) : List.<Statistic>of();
                    case HISTOGRAM -> List.<Statistic>of();
                })
                .orElse(List.of());
    }

    @Override
    public String toString() {
        return metric + "." + statistic.label();
    }
}
