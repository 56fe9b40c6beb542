package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Windows of one minute and subject from one view, which differ in what was told of the subject: a probe that does not know its node, a version that
 * was replaced. What one of them tells is taken of the one with the most samples; counts add up.
 *
 * @param readings the one with the most samples first
 */
record WindowGroup(List<WindowReading> readings) {
    /** Those of the windows whose view groups by a dimension. */
    static WindowGroup of(Iterable<WindowStat> windows, String dimension) {
        List<WindowReading> readings = new ArrayList<>();
        for (WindowStat window : windows) {
            WindowReading reading = new WindowReading(window);
            if (!reading.dimension(dimension).isEmpty()) {
                readings.add(reading);
            }
        }
        readings.sort(Comparator.<WindowReading>comparingLong(
                        reading -> -reading.window().getRequests())
                .thenComparing(reading -> reading.window().getSeries()));
        return new WindowGroup(List.copyOf(readings));
    }

    boolean isEmpty() {
        return readings.isEmpty();
    }

    WindowStat first() {
        return readings.get(0).window();
    }

    /** Samples of all. */
    long samples() {
        return readings.stream()
                .mapToLong(reading -> reading.window().getRequests())
                .sum();
    }

    /** The mean over time of a state. */
    OptionalDouble mean(String metric) {
        return readings.stream()
                .map(reading -> reading.mean(metric))
                .filter(OptionalDouble::isPresent)
                .findFirst()
                .orElse(OptionalDouble.empty());
    }

    /** The same as a whole number. */
    OptionalLong whole(String metric) {
        OptionalDouble mean = mean(metric);
        return mean.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Math.round(mean.getAsDouble()));
    }

    /** The greatest reading of a state; where none fell into the window, the one that held. */
    OptionalDouble peak(String metric) {
        OptionalDouble greatest = OptionalDouble.empty();
        for (WindowReading reading : readings) {
            OptionalDouble max = reading.max(metric);
            if (max.isPresent()) {
                greatest = OptionalDouble.of(Math.max(max.getAsDouble(), greatest.orElse(Double.NEGATIVE_INFINITY)));
            }
        }
        return greatest.isPresent() ? greatest : mean(metric);
    }

    /** The means of a state added up over the windows; absent where none tells. */
    OptionalLong total(String metric) {
        return readings.stream()
                .map(reading -> reading.mean(metric))
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .boxed()
                .reduce(Double::sum)
                .map(sum -> OptionalLong.of(Math.round(sum)))
                .orElse(OptionalLong.empty());
    }

    /** What a count came to. */
    long sum(String metric) {
        return readings.stream().mapToLong(reading -> reading.sum(metric)).sum();
    }

    /** The distribution of a metric over all windows. */
    Optional<QuantileSketch> distribution(String metric) {
        Optional<QuantileSketch> all = Optional.empty();
        for (WindowReading reading : readings) {
            Optional<QuantileSketch> one = reading.distribution(metric);
            if (all.isPresent() && one.isPresent()) {
                all.get().merge(one.get());
            } else if (one.isPresent()) {
                all = one;
            }
        }
        return all;
    }

    /** A dimension's value of the first window that has one. */
    String dimension(String name, String whenAbsent) {
        return readings.stream()
                .map(reading -> reading.dimension(name))
                .filter(value -> !value.isEmpty() && !value.equals(GroupingDimension.NONE))
                .findFirst()
                .orElse(whenAbsent);
    }
}
