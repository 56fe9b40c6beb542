package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.RecordedData;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.mix.TrafficMix;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Verdicts on recorded latencies and traffic: where nothing changed, and where it is known what did. Needs the larger recorded data
 * ({@code INFERWATCH_DATA}); skipped without. Only numbers of one column are read, so that it needs no reader of whole traces.
 */
class DriftOfRecordedDataTest {
    private static final Statistic P99 = new Statistic.Quantile(0.99);
    private static final DriftRule ARMS = DriftRule.SLOWER.withMinWindows(0);

    /** Full latencies of 45,022 agentic requests, dealt to windows at random: as heavy-tailed as they are, nothing has changed. */
    @ParameterizedTest(name = "{0} a window, seed 1")
    @ValueSource(ints = {200, 400, 1_000})
    void agenticRequestsDealtAtRandomAreNoDrift(int n) {
        long[] values = agenticLatencies();
        assertThat(values).hasSize(45_022);
        SplittableRandom random = new SplittableRandom(1);
        int windows = 0;
        int drifts = 0;
        for (int deal = 0; deal < 20; deal++) {
            shuffle(values, random);
            int count = values.length / n;
            List<Judged> judged = judged(count, i -> {
                QuantileSketch window = new QuantileSketch();
                for (int j = i * n; j < (i + 1) * n; j++) {
                    window.add(values[j]);
                }
                return Values.of(window);
            });
            windows += count;
            drifts += drifts(judged);
        }
        assertThat((double) drifts / windows).isLessThan(0.01 + 4 * Math.sqrt(0.01 / windows));
    }

    /** Times to first token of nineteen providers, dealt at random to two arms: as they are, and with the providers' mix held fast. */
    @Test
    void requestsToProvidersDealtToTwoArmsAreNoDriftSeed2() {
        Map<String, List<Long>> byProvider = firstTokens();
        assertThat(byProvider).hasSize(19);
        SplittableRandom random = new SplittableRandom(2);
        int rounds = 400;
        int raw = 0;
        int adjusted = 0;
        for (int round = 0; round < rounds; round++) {
            Map<String, QuantileSketch> one = new HashMap<>();
            Map<String, QuantileSketch> other = new HashMap<>();
            byProvider.forEach((provider, values) -> values.forEach(value -> (random.nextBoolean() ? one : other)
                    .computeIfAbsent(provider, any -> new QuantileSketch())
                    .add(value)));
            TrafficMix mix = TrafficMix.of(one, other);
            assertThat(mix.raw(0.99, 1, ARMS)).isInstanceOf(Measured.class);
            raw += Finding.of(mix.raw(0.99, 1, ARMS), null, ARMS).verdict() == Verdict.DRIFT ? 1 : 0;
            adjusted += Finding.of(mix.adjusted(0.99, 1, ARMS), null, ARMS).verdict() == Verdict.DRIFT ? 1 : 0;
        }
        double most = 0.01 + 4 * Math.sqrt(0.01 / rounds);
        assertThat((double) raw / rounds).isLessThan(most);
        assertThat((double) adjusted / rounds).isLessThan(most);
    }

    /** Twenty clients' traffic over two weeks, windows of ten minutes with as many latencies as they sent requests: it rises, falls and bursts, the server does not change. */
    @Test
    void trafficThatRisesAndFallsIsNoDriftSeed3() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        int windows = 0;
        int drifts = 0;
        List<Path> clients;
        try (Stream<Path> files = Files.list(RecordedData.path("traces/servegen"))) {
            clients = files.filter(file -> file.toString().endsWith(".csv"))
                    .sorted()
                    .toList();
        }
        assertThat(clients).hasSize(20);
        for (Path client : clients) {
            long[] requests = Files.readAllLines(client).stream()
                    .mapToLong(line -> Math.round(600 * Double.parseDouble(line.split(",", -1)[1])))
                    .toArray();
            List<Judged> judged = judged(requests.length, i -> {
                int n = (int) Math.min(requests[i], 50_000);
                return n == 0 ? null : Values.of(Latencies.LOGNORMAL.tailOf(n, 1, random));
            });
            windows += requests.length;
            drifts += drifts(judged);
        }
        assertThat(windows).isGreaterThan(20_000);
        assertThat((double) drifts / windows).isLessThan(0.01 + 4 * Math.sqrt(0.01 / windows));
    }

    /**
     * A server and its variants at the same stages of load, by their published percentiles: a baseline of 28 minutes of the one and then
     * ten minutes of the other, 2,000 requests each. Which way P99 went is published too.
     */
    @ParameterizedTest(name = "{1} of {0}, stage {2}: {3}, seed 4")
    @CsvSource({
        "vllm+eagle, time_per_output_token, 3, DRIFT",
        "vllm+eagle, request_latency, 6, DRIFT",
        "vllm+batch_size, time_per_output_token, 3, DRIFT",
        "vllm+v0_engine, time_per_output_token, 6, DRIFT",
        "vllm+v0_engine, request_latency, 6, DRIFT",
        "vllm+chunking_and_prefix_caching, request_latency, 3, faster",
        "vllm+chunking_and_prefix_caching, time_to_first_token, 6, faster",
        "vllm+quantization, time_per_output_token, 6, faster",
        "vllm+batch_size, time_to_first_token, 6, faster"
    })
    void variantsOfAServerAreFoundAsPublished(String variant, String metric, int stage, String expected) {
        Published base = Published.read("vllm", metric, stage);
        Published other = Published.read(variant, metric, stage);
        double change = other.p99() / base.p99() - 1;
        assertThat(change > 0).isEqualTo(expected.equals("DRIFT"));
        SplittableRandom random = new SplittableRandom(4);
        List<Judged> judged = judged(38, i -> Values.of((i < 28 ? base : other).sample(2_000, random)));
        assertThat(drifts(judged.subList(0, 27))).isZero();
        for (Judged verdict : judged.subList(27, 37)) {
            Measured measured = (Measured) verdict.raw().comparison();
            if (expected.equals("DRIFT")) {
                assertThat(verdict.raw().verdict()).isEqualTo(Verdict.DRIFT);
                assertThat(measured.low()).isLessThan(change).isPositive();
                assertThat(measured.high()).isGreaterThan(change);
            } else {
                assertThat(verdict.raw().verdict()).isIn(Verdict.NO_DRIFT, Verdict.INCONCLUSIVE);
                assertThat(measured.high()).isNegative();
            }
        }
    }

    /** Percentiles of a metric, the least and the greatest value among them, in seconds. */
    private record Published(double[] shares, double[] seconds) {
        private static final String[] NAMES = {
            "min", "p0.1", "p1", "p5", "p10", "p25", "median", "p75", "p90", "p95", "p99", "p99.9", "max"
        };
        private static final double[] SHARES = {0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1};

        static Published read(String variant, String metric, int stage) {
            String name = "llm_results/inference_perf/kubecon-na-2025/" + variant + "/results/stage_" + stage
                    + "_lifecycle_metrics.json";
            String entry = found(
                    "\"" + metric + "\": \\{([^}]*)}", RecordedData.lines(name).get(0));
            double[] seconds = new double[NAMES.length];
            for (int i = 0; i < NAMES.length; i++) {
                seconds[i] = Double.parseDouble(found('"' + Pattern.quote(NAMES[i]) + "\": ([-+.e0-9]+)", entry));
            }
            return new Published(SHARES, seconds);
        }

        private static String found(String pattern, String text) {
            Matcher matcher = Pattern.compile(pattern).matcher(text);
            assertThat(matcher.find()).as(pattern).isTrue();
            return matcher.group(1);
        }

        double p99() {
            return seconds[10];
        }

        QuantileSketch sample(int n, SplittableRandom random) {
            QuantileSketch sketch = new QuantileSketch();
            for (int i = 0; i < n; i++) {
                double u = random.nextDouble();
                int above = 1;
                while (shares[above] < u) {
                    above++;
                }
                double part = (u - shares[above - 1]) / (shares[above] - shares[above - 1]);
                sketch.add(Math.round(1e9 * (seconds[above - 1] + part * (seconds[above] - seconds[above - 1]))));
            }
            return sketch;
        }
    }

    /** The verdicts on windows of a minute; null is a window that never came. */
    private static List<Judged> judged(int count, IntFunction<@Nullable Values> windows) {
        DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
        List<Judged> judged = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Values window = windows.apply(i);
            if (window != null) {
                history.observe(window, 60_000_000L * (i + 1), Optional.empty(), P99, DriftRule.SLOWER)
                        .judged()
                        .ifPresent(judged::add);
            }
        }
        return judged;
    }

    private static int drifts(List<Judged> judged) {
        return (int) judged.stream()
                .filter(verdict -> verdict.server().verdict() == Verdict.DRIFT)
                .count();
    }

    private static long[] agenticLatencies() {
        return RecordedData.lines("traces/agentic_coding/requests.csv.gz").stream()
                .skip(1)
                .map(line -> line.split(",", -1)[11])
                .filter(seconds -> !seconds.isEmpty())
                .mapToLong(seconds -> Math.round(1e6 * Double.parseDouble(seconds)))
                .toArray();
    }

    /** In microseconds; failed requests, whose messages have commas of their own, left out. */
    private static Map<String, List<Long>> firstTokens() {
        Map<String, List<Long>> byProvider = new TreeMap<>();
        RecordedData.lines("llm_results/llmperf_leaderboard/individual.csv").stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .filter(fields -> fields.length == 12 && fields[2].isEmpty())
                .forEach(fields -> byProvider
                        .computeIfAbsent(fields[0], any -> new ArrayList<>())
                        .add(Math.round(1e6 * Double.parseDouble(fields[4]))));
        return byProvider;
    }

    private static void shuffle(long[] values, SplittableRandom random) {
        for (int i = values.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long value = values[i];
            values[i] = values[other];
            values[other] = value;
        }
    }
}
