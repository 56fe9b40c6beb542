package io.inferwatch.local;

import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Requests whose figures are given: every column holds the quantiles (i + 1/2) / n of a lognormal distribution, in an order drawn by the
 * seed, so that a sample has the figures that it was made for. All requests end within one minute.
 */
final class TableFixture {
    private static final long MINUTE_MICROS = 60_000_000;

    private final long startMicros;
    private final SplittableRandom random;
    private final List<RequestEvent> events = new ArrayList<>();
    private final List<GpuSample> readings = new ArrayList<>();
    private int groups;

    TableFixture(long startMicros, long seed) {
        this.startMicros = startMicros;
        this.random = new SplittableRandom(seed);
    }

    /** All requests by their end. */
    List<RequestEvent> events() {
        return events.stream()
                .sorted(Comparator.comparingLong(RequestEvent::getCompletedAtMicros))
                .toList();
    }

    /** Readings of GPUs by their time. */
    List<GpuSample> readings() {
        return readings.stream()
                .sorted(Comparator.comparingLong(GpuSample::getSampledAtMicros))
                .toList();
    }

    /** Ten GPUs whose readings of memory used, in GiB, are dealt out over the minute. */
    void memory(String model, String pool, String configuration, double[] gibibytes) {
        double[] dealt = dealt(gibibytes);
        for (int i = 0; i < dealt.length; i++) {
            String gpu = "%s-%s-%s-%d".formatted(model, pool, configuration, i % 10);
            readings.add(GpuSample.newBuilder()
                    .setStream("table/" + gpu)
                    .setSequence(i / 10)
                    .setSampledAtMicros(startMicros + MINUTE_MICROS * i / dealt.length)
                    .setIntervalMicros(1_000_000)
                    .setGpu(gpu)
                    .setModel(model)
                    .setPool(pool)
                    .setConfigurationName(configuration)
                    .setOrigin("nvml")
                    .setState(GpuState.OK)
                    .setUsedBytes(Math.round(dealt[i] * (1L << 30)))
                    .build());
        }
    }

    /** One device of a product, which works for so much of the minute by its own readings, a second apart. */
    void device(String product, String replica, String model, double busy) {
        for (int i = 0; i <= 60; i++) {
            readings.add(GpuSample.newBuilder()
                    .setStream("table/" + replica)
                    .setSequence(i)
                    .setSampledAtMicros(startMicros + 1_000_000L * i)
                    .setIntervalMicros(1_000_000)
                    .setGpu("GPU-" + replica)
                    .setName(product)
                    .setReplica(replica)
                    .setModel(model)
                    .setOrigin("nvml")
                    .setState(GpuState.OK)
                    .setTotalBytes(80L << 30)
                    .setBusyPpm(Math.round(1e6 * busy))
                    .build());
        }
    }

    /** Requests that are alike but for their columns. */
    Group group(String model, int n) {
        return new Group(model, n);
    }

    /** Lognormal values with that mean and coefficient of variation. */
    static double[] ofMean(int n, double mean, double variation) {
        double square = Math.log1p(variation * variation);
        double[] values = quantiles(n, LogNormalDistribution.of(-square / 2, Math.sqrt(square)));
        double sum = Arrays.stream(values).sum();
        return Arrays.stream(values).map(value -> value * mean * n / sum).toArray();
    }

    /** Lognormal values with that median, and the other value at a quantile. */
    static double[] ofQuantiles(int n, double median, double q, double value) {
        double sigma = Math.log(value / median) / NormalDistribution.of(0, 1).inverseCumulativeProbability(q);
        return quantiles(n, LogNormalDistribution.of(Math.log(median), sigma));
    }

    /** Normal values with mean 0 and a standard deviation of 1, over n - 1. */
    static double[] ofStandard(int n) {
        double[] values = new double[n];
        double squares = 0;
        for (int i = 0; i < n; i++) {
            values[i] = NormalDistribution.of(0, 1).inverseCumulativeProbability((i + 0.5) / n);
            squares += values[i] * values[i];
        }
        double deviation = Math.sqrt(squares / (n - 1));
        return Arrays.stream(values).map(value -> value / deviation).toArray();
    }

    /** Whole numbers, as equal as can be, that add up to a total. */
    static double[] ofTotal(int n, long total) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = total * (i + 1) / n - total * i / n;
        }
        return values;
    }

    private static double[] quantiles(int n, LogNormalDistribution distribution) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = distribution.inverseCumulativeProbability((i + 0.5) / n);
        }
        return values;
    }

    /** The same values in another order. */
    double[] dealt(double[] values) {
        double[] dealt = values.clone();
        for (int i = dealt.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            double swap = dealt[i];
            dealt[i] = dealt[j];
            dealt[j] = swap;
        }
        return dealt;
    }

    /** What is made of one distribution of each column. */
    final class Group {
        private final List<RequestEvent.Builder> made = new ArrayList<>();

        private Group(String model, int n) {
            String stream = "table/" + groups++;
            for (int i = 0; i < n; i++) {
                long end = startMicros + MINUTE_MICROS * i / n;
                made.add(RequestEvent.newBuilder()
                        .setStream(stream)
                        .setSequence(i)
                        .setReplica("replica-0")
                        .setModel(model)
                        .setVersion("v1")
                        .setTraffic(Traffic.PRODUCTION)
                        .setOutcome(Outcome.OK)
                        .setSource(Source.PROXY)
                        .setStartedAtMicros(end)
                        .setCompletedAtMicros(end));
            }
        }

        /** Sets a text or number that all have. */
        <T> Group all(BiConsumer<RequestEvent.Builder, T> field, T value) {
            made.forEach(request -> field.accept(request, value));
            return this;
        }

        /** Deals values out, a thousand units in each: of milliseconds, microseconds. */
        Group thousands(BiConsumer<RequestEvent.Builder, Long> field, double[] values) {
            return column(
                    field, Arrays.stream(values).map(value -> 1_000 * value).toArray());
        }

        /** Deals values out, in a random order. */
        Group column(BiConsumer<RequestEvent.Builder, Long> field, double[] values) {
            double[] dealt = dealt(values);
            for (int i = 0; i < dealt.length; i++) {
                field.accept(made.get(i), Math.round(dealt[i]));
            }
            return this;
        }

        /** Ends them so many minutes later. */
        Group after(int minutes) {
            return each(
                    request -> request.setCompletedAtMicros(request.getCompletedAtMicros() + MINUTE_MICROS * minutes));
        }

        /** Whatever follows from what is set. */
        Group each(Consumer<RequestEvent.Builder> change) {
            made.forEach(change);
            return this;
        }

        void add() {
            made.forEach(request -> events.add(request.build()));
        }
    }
}
