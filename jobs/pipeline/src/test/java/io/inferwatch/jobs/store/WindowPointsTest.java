package io.inferwatch.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowPointsTest {
    private static final long MINUTE = WindowFixture.MINUTE_MICROS;
    private static final long END = 1_700_000_040_000_000L;
    private static final InboundRecord NO_ORIGIN = new InboundRecord("t", 0, 0, 0, null, null);

    private final WindowPoints points = new WindowPoints(MetricCatalogue.shipped());

    @Test
    void givesOneWidePointWithEveryStatistic() throws Exception {
        SplittableRandom random = new SplittableRandom(11);
        long[] micros = random.longs(4_000, 50_000, 4_000_000).toArray();
        WindowFixture window = new WindowFixture("model-version", MINUTE, END)
                .dimension("model", "meta llama,8B")
                .dimension("version", "v1")
                .requests(5_000)
                .revision(2)
                .sum("failed", 40)
                .sum("generated_tokens", 123_456)
                .sum("good", 4_500)
                .values("ttft", micros)
                .values("prompt_tokens", 10, 20, 40)
                .gauge("open_requests", 4, 10, 0, 6, 3)
                .gauge("oldest_open", 2, 3_000_000, 1_000_000, 2_000_000, 1_000_000);

        StoredPoint stored = stored(window);
        Map<String, String> fields = fields(stored);

        assertThat(stored.policy()).isEqualTo("r1m");
        assertThat(stored.line())
                .startsWith("request,view=model-version,model=meta\\ llama\\,8B,version=v1 ")
                .endsWith(" " + END);
        assertThat(fields)
                .containsEntry("requests", "5000i")
                .containsEntry("revision", "2i")
                .containsEntry("failed", "40i")
                .containsEntry("cancelled", "0i")
                .containsEntry("good", "4500i")
                .containsEntry("generated_tokens", "123456i")
                .containsEntry("ttft_n", "4000i")
                .containsEntry("prompt_tokens_n", "3i")
                .containsEntry("open_requests_mean", "2.5")
                .containsEntry("open_requests_max", "6.0")
                .containsEntry("open_requests_last", "3.0")
                .containsEntry("oldest_open_mean_seconds", "1.5")
                .containsEntry("oldest_open_max_seconds", "2.0")
                .containsEntry("error_ratio", "0.008")
                .containsEntry("good_ratio", "0.9");
        assertThat(real(fields, "requests_per_second")).isCloseTo(5_000 / 60.0, within(1e-9));
        assertThat(real(fields, "generated_tokens_per_second")).isCloseTo(123_456 / 60.0, within(1e-9));
        assertThat(real(fields, "good_per_second")).isCloseTo(75.0, within(1e-9));

        long[] sorted = micros.clone();
        Arrays.sort(sorted);
        assertThat(real(fields, "ttft_min_seconds")).isEqualTo(sorted[0] / 1e6);
        assertThat(real(fields, "ttft_max_seconds")).isEqualTo(sorted[3_999] / 1e6);
        assertThat(real(fields, "ttft_mean_seconds"))
                .isCloseTo(Arrays.stream(micros).sum() / 4_000.0 / 1e6, within(1e-12));
        assertNear(fields, "ttft_p50_seconds", sorted[1_999]);
        assertNear(fields, "ttft_p90_seconds", sorted[3_599]);
        assertNear(fields, "ttft_p95_seconds", sorted[3_799]);
        assertNear(fields, "ttft_p99_seconds", sorted[3_959]);
        assertNear(fields, "ttft_p999_seconds", sorted[3_995]);
        // Ranks 3,947 and 3,973: the binomial distribution of n = 4,000, p = 0.99 summed up outside of this code.
        // A limit is its bucket's outer bound: at most 0.75 % beyond the value of that rank, never inside.
        assertThat(real(fields, "ttft_p99_low_seconds")).isBetween(sorted[3_946] / 1e6 / 1.0075, sorted[3_946] / 1e6);
        assertThat(real(fields, "ttft_p99_high_seconds")).isBetween(sorted[3_972] / 1e6, sorted[3_972] / 1e6 * 1.0075);
        assertThat(real(fields, "prompt_tokens_p50")).isCloseTo(20, within(0.08));
        assertThat(SketchEncoding.decode(Base64.getDecoder()
                                .decode(fields.get("ttft_sketch").replace("\"", "")))
                        .n())
                .isEqualTo(4_000);
    }

    @ParameterizedTest
    @CsvSource({"1, false, false", "367, false, false", "368, true, false", "3699, true, false", "3700, true, true"})
    void saysOnlyWhatSoManyValuesAllow(int n, boolean limits, boolean p999) throws Exception {
        long[] values = new SplittableRandom(n).longs(n, 1_000, 100_000).toArray();

        Map<String, String> fields = fields(
                stored(new WindowFixture("fleet", MINUTE, END).requests(n).values("ttft", values)));

        assertThat(fields).containsKeys("ttft_p99_seconds", "ttft_max_seconds");
        assertThat(fields.containsKey("ttft_p99_low_seconds")).isEqualTo(limits);
        assertThat(fields.containsKey("ttft_p99_high_seconds")).isEqualTo(limits);
        assertThat(fields.containsKey("ttft_p999_seconds")).isEqualTo(p999);
    }

    @Test
    void leavesOutWhatHasNoValueInsteadOfWritingZero() throws Exception {
        Map<String, String> fields = fields(
                stored(new WindowFixture("fleet", MINUTE, END).requests(0).gauge("open_requests", 12, 0, 0, 0, 0)));

        assertThat(fields)
                .containsEntry("requests", "0i")
                .containsEntry("failed", "0i")
                .containsEntry("open_requests_mean", "0.0")
                .doesNotContainKeys("error_ratio", "good_ratio", "ttft_n", "ttft_p99_seconds");
    }

    @ParameterizedTest
    @CsvSource({
        "fleet, 10, r10s",
        "fleet, 60, r1m",
        "fleet, 3600, r1h",
        "node, 10, ",
        "node, 60, r1m",
        "node, 3600, r1h",
        "run, 1, runs",
        "run, 60, runs",
        "run, 3600, runs"
    })
    void storesEachLengthWhereItBelongs(String view, long seconds, String policy) throws Exception {
        WindowFixture window = new WindowFixture(view, seconds * 1_000_000, END).requests(1);
        if (!view.equals("fleet")) {
            window.dimension(view, "x");
        }

        Optional<Point> point = points.of(window.stat());

        assertThat(point.map(Point::policy).map(RetentionPolicy::policyName)).isEqualTo(Optional.ofNullable(policy));
    }

    @Test
    void windowsOfARunOfDifferentLengthsDoNotMeet() throws Exception {
        Set<String> identities = new HashSet<>();
        for (long seconds : new long[] {1, 60, 3600}) {
            identities.add(stored(new WindowFixture("run", seconds * 1_000_000, END)
                            .dimension("run", "r7")
                            .requests(1))
                    .identity());
        }

        assertThat(identities)
                .containsExactlyInAnyOrder(
                        "runs request,view=run,run=r7,window=1s " + END,
                        "runs request,view=run,run=r7,window=1m " + END,
                        "runs request,view=run,run=r7,window=1h " + END);
    }

    @Test
    void sketchesAreStoredByTheMinuteWhereTheViewKeepsThem() throws Exception {
        assertThat(fields(stored(new WindowFixture("fleet", MINUTE, END).values("ttft", 5))))
                .containsKey("ttft_sketch");
        assertThat(fields(stored(new WindowFixture("fleet", MINUTE, END).values("decode", 5))))
                .containsKey("decode_n")
                .doesNotContainKey("decode_sketch");
        assertThat(fields(stored(new WindowFixture("fleet", 10_000_000, END).values("ttft", 5))))
                .doesNotContainKey("ttft_sketch");
        assertThat(fields(stored(new WindowFixture("fleet", 60 * MINUTE, END).values("ttft", 5))))
                .doesNotContainKey("ttft_sketch");
        assertThat(fields(stored(new WindowFixture("node", MINUTE, END)
                        .dimension("node", "n")
                        .values("ttft", 5))))
                .doesNotContainKey("ttft_sketch");
    }

    @Test
    void aPointOfTenSecondsHoldsWhatIsWatched() throws Exception {
        WindowFixture window = new WindowFixture("fleet", 10_000_000, END)
                .requests(500)
                .sum("good", 400)
                .sum("completed", 480)
                .gauge("open_requests", 12, 30, 0, 5, 2)
                .values("decode", 5)
                .values("ttft", LongStream.rangeClosed(1, 500).toArray());

        assertThat(fields(stored(window)).keySet())
                .containsExactlyInAnyOrder(
                        "requests",
                        "requests_per_second",
                        "revision",
                        "error_ratio",
                        "good_ratio",
                        "good_per_second",
                        "completed",
                        "open_requests_max",
                        "open_requests_last",
                        "ttft_n",
                        "ttft_p50_seconds",
                        "ttft_p99_seconds",
                        "ttft_p99_low_seconds",
                        "ttft_p99_high_seconds");
    }

    @Test
    void aViewOfFewMetricsWritesNoOthers() throws Exception {
        Map<String, String> fields = fields(stored(new WindowFixture("node-prompt", MINUTE, END)
                .dimension("node", "n")
                .dimension("prompt", "0-511")
                .requests(3)
                .values("ttft", 5)));

        assertThat(fields)
                .containsKeys("requests", "requests_per_second", "ttft_n")
                .doesNotContainKeys("failed", "good");
        assertThat(fields).doesNotContainKey("error_ratio");
    }

    @ParameterizedTest
    @CsvSource({
        "REQUESTS, fleet, fleet",
        "ENGINE, engine-model, engine-replica",
        "GPU, gpu-fleet, gpu-device",
        "KERNELS, kernel-stage, kernel-layer",
        "OPERATORS, operator-model, operator-replica"
    })
    void everyFieldIsAnnouncedWithItsType(Metric.Origin of, String broadView, String narrowView) throws Exception {
        Map<String, StoredField.Type> announced = WindowPoints.fields(MetricCatalogue.shipped(), of).stream()
                .collect(Collectors.toMap(StoredField::name, StoredField::type));
        Map<String, String> fields = new HashMap<>();
        for (String view : List.of(broadView, narrowView)) {
            fields.putAll(fields(stored(whole(of, view))));
        }

        assertThat(fields.keySet()).isEqualTo(announced.keySet());
        fields.forEach((name, value) -> assertThat(value)
                .as(name)
                .matches(
                        switch (announced.getOrDefault(name, StoredField.Type.TEXT)) {
                            case INTEGER -> "-?\\d+i";
                            case REAL -> "-?\\d+\\.\\d+(E-?\\d+)?";
                            case TEXT -> "\".*\"";
                        }));
    }

    /** A window that has every metric that the view keeps. */
    private static WindowFixture whole(Metric.Origin of, String view) {
        WindowFixture window = new WindowFixture(view, MINUTE, END).samples(5_000);
        MetricCatalogue.shipped()
                .view(view)
                .orElseThrow()
                .dimensionNames()
                .forEach(name -> window.dimension(name, "d"));
        long[] values = new SplittableRandom(3).longs(5_000, 1, 1_000_000).toArray();
        MetricCatalogue.shipped().metrics().stream()
                .filter(metric -> metric.of().views() == of)
                .forEach(metric -> {
                    switch (metric.kind()) {
                        case SUM, COUNTER -> window.sum(metric.name(), 7);
                        case QUANTILE -> window.values(metric.name(), values);
                        case HISTOGRAM -> window.histogram(metric.name(), List.of(10L), List.of(3L, 0L), 25);
                        case GAUGE -> {
                            window.gauge(metric.name(), 1, 1, 1, 1, 1);
                            if (of != Metric.Origin.REQUESTS) {
                                window.held(metric.name(), 1, 1);
                            }
                        }
                    }
                });
        return window;
    }

    @Test
    void samplesHaveMeasurementsOfTheirOwnInBaseUnits() throws Exception {
        StoredPoint engine = stored(new WindowFixture("engine-replica", MINUTE, END)
                .dimension("replica", "r")
                .dimension("model", "m")
                .dimension("version", "v1")
                .samples(6)
                .gauge("kv_usage", 6, 3_000_000, 400_000, 600_000, 600_000)
                .held("kv_usage", 60_000_000, 60_000_000 * 450_000.0)
                .sum("prefix_hits", 30)
                .sum("prefix_queried", 40)
                .sum("engine_queue", 1_500_000));
        assertThat(engine.line()).startsWith("engine,view=engine-replica,replica=r,model=m,version=v1 ");
        assertThat(fields(engine))
                .containsEntry("samples", "6i")
                .containsEntry("kv_usage_mean", "0.5")
                .containsEntry("kv_usage_time_mean", "0.45")
                .containsEntry("kv_usage_max", "0.6")
                .containsEntry("kv_usage_last", "0.6")
                .containsEntry("prefix_hits", "30i")
                .containsEntry("prefix_hits_per_second", "0.5")
                .containsEntry("prefix_hit_ratio", "0.75")
                .containsEntry("engine_queue_total_seconds", "1.5")
                .containsEntry("engine_queue_per_second", "0.025")
                .doesNotContainKeys("requests", "preemptions", "kv_usage_together");

        StoredPoint gpu = stored(new WindowFixture("gpu-device", MINUTE, END)
                .dimension("gpu", "GPU-1")
                .dimension("mig", "none")
                .dimension("node", "n")
                .samples(60)
                .gauge("power", 60, 60 * 350_500, 350_500, 350_500, 350_500)
                .gauge("sm_clock", 1, 1_980, 1_980, 1_980, 1_980)
                .sum("energy", 21_030_000));
        assertThat(gpu.line()).startsWith("gpu,view=gpu-device,gpu=GPU-1,mig=none,node=n ");
        assertThat(fields(gpu))
                .containsEntry("power_last_watts", "350.5")
                .containsEntry("sm_clock_max_hertz", "1.98E9")
                .containsEntry("energy_total_joules", "21030.0")
                .containsEntry("energy_per_second", "350.5");
    }

    @Test
    void ofSeveralSubjectsNoneIsTheLastButTheyHaveSomethingTogether() throws Exception {
        // Two replicas of 3 and 5 running requests over the whole minute.
        Map<String, String> fields = fields(stored(new WindowFixture("engine-fleet", MINUTE, END)
                .samples(12)
                .gauge("running_requests", 12, 48, 3, 5, 5)
                .held("running_requests", 2 * MINUTE, 8.0 * MINUTE)));
        assertThat(fields)
                .containsEntry("running_requests_time_mean", "4.0")
                .containsEntry("running_requests_together", "8.0")
                .containsEntry("running_requests_max", "5.0")
                .doesNotContainKey("running_requests_last");
    }

    @Test
    void anEnginesHistogramSaysBetweenWhichBoundsAQuantileLies() throws Exception {
        // Of 200 observations the 100th lies in (10 ms, 100 ms], the 198th above 1 s.
        Map<String, String> fields = fields(stored(new WindowFixture("engine-fleet", MINUTE, END)
                .samples(1)
                .histogram(
                        "ttft_buckets",
                        List.of(10_000L, 100_000L, 1_000_000L),
                        List.of(99L, 50L, 48L, 3L),
                        40_000_000)));
        assertThat(fields)
                .containsEntry("ttft_buckets_n", "200i")
                .containsEntry("ttft_buckets_mean_seconds", "0.2")
                .containsEntry("ttft_buckets_p50_above_seconds", "0.01")
                .containsEntry("ttft_buckets_p50_at_most_seconds", "0.1")
                .containsEntry("ttft_buckets_p99_above_seconds", "1.0")
                .doesNotContainKey("ttft_buckets_p99_at_most_seconds");
    }

    @Test
    void whatTheCatalogueDoesNotHaveIsCounted() throws Exception {
        Map<String, String> fields = fields(stored(new WindowFixture("fleet", MINUTE, END)
                .requests(1)
                .sum("bygone", 7)
                .values("ttfx", 5)
                .gauge("ttft", 1, 1, 1, 1, 1)));

        assertThat(points.unknownMetrics()).isEqualTo(3);
        assertThat(fields).doesNotContainKeys("bygone", "ttfx_n", "ttft_mean_seconds");
    }

    @Test
    void whatIsNoWindowIsNamed() {
        assertUnstorable(new WindowFixture("flet", MINUTE, END), "view: must be one of the catalogue's, found 'flet'");
        assertUnstorable(
                new WindowFixture("node", MINUTE, END).dimension("replica", "r"),
                "dimensions: must be [node] as of view node, found [replica]");
        assertUnstorable(
                new WindowFixture("fleet", 0, END),
                "window: must have a length and an end after 1970, found 0 us to " + END);
        assertUnstorable(
                new WindowFixture("fleet", MINUTE, END).sketch("ttft", new byte[] {9}),
                "ttft: sketch version: must be 1, found 9");
    }

    @Test
    void aCatalogueWhoseFieldsMeetIsRefused() {
        String yaml = """
                metrics:
                  requests: {of: requests, kind: sum, value: "1", unit: requests, help: h}
                  ttft: {of: requests, kind: quantile, value: ttftMicros, unit: microseconds, help: h}
                  ttft_n: {of: requests, kind: sum, value: "1", unit: requests, help: h}
                dimensions:
                  node: {field: node, limit: 10}
                views:
                  fleet: {by: [], max-series: 1}
                """;

        assertThatThrownBy(() -> new WindowPoints(MetricCatalogue.parse("c", yaml)))
                .hasMessage("metric catalogue: each tag and field must have a name of its own, found the field"
                        + " 'ttft_n' twice");
    }

    private void assertUnstorable(WindowFixture window, String message) {
        assertThatThrownBy(() -> points.of(window.stat()))
                .isInstanceOf(UnstorableException.class)
                .hasMessage(message);
    }

    private static void assertNear(Map<String, String> fields, String field, long micros) {
        double expected = micros / 1e6;
        assertThat(real(fields, field)).as(field).isCloseTo(expected, within(0.004 * expected));
    }

    private static double real(Map<String, String> fields, String field) {
        assertThat(fields).containsKey(field);
        return Double.parseDouble(fields.getOrDefault(field, ""));
    }

    private StoredPoint stored(WindowFixture window) throws UnstorableException {
        return points.of(window.stat()).orElseThrow().store(0, 0, NO_ORIGIN).orElseThrow();
    }

    /** The fields of a line whose texts hold no comma, blank or equals sign but for base64's. */
    private static Map<String, String> fields(StoredPoint point) {
        String[] parts = point.line().split("(?<!\\\\) ", -1);
        Map<String, String> fields = new HashMap<>();
        for (String field : parts[1].split(",", -1)) {
            int equals = field.indexOf('=');
            fields.put(field.substring(0, equals), field.substring(equals + 1));
        }
        return fields;
    }
}
