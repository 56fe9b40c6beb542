package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.TestServers;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Prometheus is told, read as text, against the sorted values themselves. Seed 3. */
class LatestWindowsIT {
    private static final Pattern SAMPLE = Pattern.compile("^(\\w+)\\{(.*)} (\\S+)$");

    private final Availability<InfluxProgram> program = TestServers.influx();
    private final Instant now = Instant.now();

    @Test
    void theLastMinuteIsToldInQuantilesAndBuckets() throws IOException {
        assumeTrue(program.isFound(), program.reason());
        long[] micros = values(1_000, 3);
        try (InfluxServer server = InfluxServer.start(program.get(), InfluxServer.Options.temporary());
                InfluxClient client = InfluxClient.open(InfluxConnection.of(server.url()))) {
            new InfluxSetup(client).run();
            store(client, "fleet", "", values(10, 4), Duration.ofMinutes(2));
            store(client, "fleet", "", micros, Duration.ofMinutes(1));
            store(client, "model-version", ",model=m,version=v1", values(100, 5), Duration.ofMinutes(1));
            store(client, "model-version", ",model=silent,version=v1", values(100, 6), Duration.ofMinutes(6));
            Map<String, Double> told = told(new LatestWindows(
                    MetricCatalogue.shipped(), List.of("fleet", "model-version"), new InfluxReader(client)));

            Arrays.sort(micros);
            String fleet = "{view=\"fleet\"}";
            assertThat(told.get("inferwatch_ttft_p50_seconds" + fleet))
                    .isCloseTo(micros[499] / 1e6, within(0.004 * micros[499] / 1e6));
            assertThat(told.get("inferwatch_ttft_p99_seconds" + fleet))
                    .isCloseTo(micros[989] / 1e6, within(0.004 * micros[989] / 1e6));
            assertThat(told.get("inferwatch_ttft_p99_low_seconds" + fleet))
                    .isLessThan(told.get("inferwatch_ttft_p99_seconds" + fleet));
            assertThat(told.get("inferwatch_ttft_seconds_gcount" + fleet)).isEqualTo(1_000);
            assertThat(told.get("inferwatch_ttft_seconds_gsum" + fleet))
                    .isCloseTo(Arrays.stream(micros).sum() / 1e6, within(1e-6));
            int bounds = 0;
            for (Map.Entry<String, Double> sample : told.entrySet()) {
                if (sample.getKey().startsWith("inferwatch_ttft_seconds_bucket{view=\"fleet\",le=\"")) {
                    bounds++;
                    double bound = Double.parseDouble(sample.getKey()
                            .replaceAll(".*le=\"\\+?([^\"]+)\".*", "$1")
                            .replace("Inf", "Infinity"));
                    // Never told too low a bound; too high a one by no more than the width of a sketch's bucket.
                    assertThat(sample.getValue())
                            .isLessThanOrEqualTo(atMost(micros, bound))
                            .isGreaterThanOrEqualTo(atMost(micros, bound / 1.0075));
                }
            }
            assertThat(bounds).isEqualTo(98);

            String model = "{model=\"m\",version=\"v1\",view=\"model-version\"}";
            assertThat(told)
                    .containsKey("inferwatch_ttft_p99_seconds" + model)
                    .doesNotContainKey("inferwatch_ttft_p99_low_seconds" + model);
            assertThat(told.keySet()).noneMatch(name -> name.contains("silent"));
        }
    }

    @Test
    void viewsWithoutSketchesAreRefused() throws IOException {
        assumeTrue(program.isFound(), program.reason());
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of("http://127.0.0.1:9"))) {
            assertThatThrownBy(() ->
                            new LatestWindows(MetricCatalogue.shipped(), List.of("node"), new InfluxReader(client)))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("--view: must be among")
                    .hasMessageContaining("found 'node'");
        }
    }

    private void store(InfluxClient client, String view, String tags, long[] micros, Duration ago) {
        QuantileSketch sketch = new QuantileSketch();
        Arrays.stream(micros).forEach(sketch::add);
        String line = "request,view=" + view + tags + " ttft_sketch=\""
                + Base64.getEncoder().encodeToString(SketchEncoding.encode(sketch)) + "\" "
                + ChronoUnit.MICROS.between(Instant.EPOCH, now.minus(ago));
        assertThat(new InfluxWriter(client).write("r1m", List.of(line)).refused())
                .isEmpty();
    }

    private Map<String, Double> told(LatestWindows windows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OpenMetricsTextFormatWriter.create().write(out, windows.at(now));
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(text)
                .contains("# TYPE inferwatch_ttft_seconds gaugehistogram")
                .endsWith("# EOF\n");
        Map<String, Double> told = new TreeMap<>();
        text.lines()
                .map(SAMPLE::matcher)
                .filter(Matcher::matches)
                .forEach(sample ->
                        told.put(sample.group(1) + "{" + sample.group(2) + "}", Double.parseDouble(sample.group(3))));
        return told;
    }

    private static double atMost(long[] micros, double seconds) {
        return Arrays.stream(micros).filter(value -> value <= seconds * 1e6).count();
    }

    /** From 1 ms to 100 s. */
    private static long[] values(int n, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] values = new long[n];
        for (int i = 0; i < n; i++) {
            values[i] = (long) (1_000 * Math.exp(random.nextDouble() * Math.log(100_000)));
        }
        return values;
    }
}
