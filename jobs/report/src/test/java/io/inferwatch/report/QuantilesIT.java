package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.PointBuilder;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.TestServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Quantiles from sketches in a real InfluxDB against the sorted values themselves. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QuantilesIT {
    private static final int MINUTES = 60 * 14;
    private static final List<String> MODELS = List.of("meta llama,8B=x", "qwen-32b");
    private static final List<String> VERSIONS = List.of("v1", "v2");

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(15));
    /** Raw values, microseconds, by model, version and minute. */
    private final Map<String, List<Long>> raw = new HashMap<>();

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(server.url()))) {
            new InfluxSetup(client).run();
            SplittableRandom random = new SplittableRandom(5);
            List<String> lines = new ArrayList<>();
            for (int minute = 0; minute < MINUTES; minute++) {
                long endMicros = TimeText.micros(start.plus(Duration.ofMinutes(minute + 1)));
                QuantileSketch fleet = new QuantileSketch();
                for (String model : MODELS) {
                    for (String version : VERSIONS) {
                        // The second model starts late, and is rare.
                        int n = model.equals("qwen-32b") ? (minute >= MINUTES - 2 ? 20 : 0) : random.nextInt(1, 30);
                        if (n == 0) {
                            continue;
                        }
                        QuantileSketch sketch = new QuantileSketch();
                        for (int i = 0; i < n; i++) {
                            // From 1 ms to 100 s, with a minute of trouble now and then.
                            long value = (long) (1_000 * Math.exp(random.nextDouble() * Math.log(100_000)));
                            sketch.add(value);
                            raw.computeIfAbsent(model + "/" + version + "/" + minute, key -> new ArrayList<>())
                                    .add(value);
                        }
                        fleet.merge(sketch);
                        lines.add(line("model-version", sketch, endMicros, "model", model, "version", version));
                    }
                }
                lines.add(line("fleet", fleet, endMicros));
            }
            InfluxWriter.BatchReport report = new InfluxWriter(client).write("r1m", lines);
            assertThat(report.refused()).isEmpty();
            assertThat(report.obstacle()).isEmpty();
        }
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 840", "3, 4", "17, 400", "359, 362"})
    void anyPeriodOfTheFleetHasTheQuantilesOfItsValues(int fromMinute, int toMinute) throws Exception {
        JsonNode json = report(fromMinute, toMinute);

        assertThat(json.get("view").asText()).isEqualTo("fleet");
        assertThat(json.get("minutesWithData").asInt()).isEqualTo(toMinute - fromMinute);
        assertThat(json.get("groups")).hasSize(1);
        assertSame(json.get("groups").get(0), values("", "", fromMinute, toMinute));
    }

    @Test
    void dimensionsThatAreNotAskedForAreMerged() throws Exception {
        JsonNode json = report(0, MINUTES, "--by=model");

        assertThat(json.get("view").asText()).isEqualTo("model-version");
        assertThat(json.get("groups")).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat(json.get("groups").get(i).get("by").get("model").asText())
                    .isEqualTo(MODELS.get(i));
            assertSame(json.get("groups").get(i), values(MODELS.get(i), "", 0, MINUTES));
        }
    }

    @Test
    void allDimensionsCanBeToldApart() throws Exception {
        JsonNode json = report(100, 200, "--by=version,model");

        assertThat(json.get("groups")).hasSize(2);
        for (JsonNode group : json.get("groups")) {
            assertSame(
                    group,
                    values(
                            group.get("by").get("model").asText(),
                            group.get("by").get("version").asText(),
                            100,
                            200));
        }
    }

    @Test
    void tooFewValuesAreNotEstimable() throws Exception {
        JsonNode json = report(0, MINUTES, "--by=model");

        // 2 minutes of 2 versions of 20 requests: 80 values allow limits of the median, not of P99.
        JsonNode rare = json.get("groups").get(1);
        assertThat(rare.get("n").asInt()).isEqualTo(80);
        assertThat(rare.get("quantiles").get(0).get("estimable").asBoolean()).isTrue();
        assertThat(rare.get("quantiles").get(2).get("estimable").asBoolean()).isFalse();
        String table = execute(0, period(0, MINUTES), "--metric=ttft", "--by=model");
        assertThat(table.lines().filter(line -> line.startsWith("qwen-32b")))
                .singleElement()
                .asString()
                .contains("80", "not estimable");
    }

    @Test
    void noDataSaysWhatThereIs() {
        String[] early = {"--from=" + start.minus(Duration.ofHours(2)), "--to=" + start.minus(Duration.ofHours(1))};

        assertThat(execute(1, early, "--metric=ttft"))
                .isEqualToIgnoringNewLines("no data: view fleet has no sketches of ttft from "
                        + start.minus(Duration.ofHours(2)) + " to " + start.minus(Duration.ofHours(1))
                        + "; there are some from " + start + " to " + start.plus(Duration.ofMinutes(MINUTES)));
        assertThat(execute(1, early, "--metric=ttft", "--by=tenant"))
                .contains("view tenant-model has no sketches of ttft", "nor of any other time");
    }

    @Test
    void badInputIsOneMessageAndStatusTwo() {
        assertThat(execute(2, period(0, 1), "--metric=tftt"))
                .contains("did you mean 'ttft'?")
                .hasLineCount(1);
        assertThat(execute(2, new String[] {"--from=noon"}, "--metric=ttft")).hasLineCount(1);
        assertThat(execute(2, period(0, 1), "--metric=ttft", "--influxdb-database=nowhere"))
                .contains("database not found: nowhere")
                .hasLineCount(1);
        assertThat(execute(2, period(0, 1), "--metric=ttft", "--influxdb-url=http://127.0.0.1:1"))
                .contains("InfluxDB at http://127.0.0.1:1 does not answer")
                .hasLineCount(1);
        assertThat(execute(2, period(0, 1), "--metric=ttft", "--catalogue=/nowhere.yaml"))
                .contains("/nowhere.yaml");
    }

    private JsonNode report(int fromMinute, int toMinute, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.addAll(List.of("--metric=ttft", "--q=0.5,0.95,0.99,0.999", "-o", "json"));
        return new ObjectMapper().readTree(execute(0, period(fromMinute, toMinute), arguments.toArray(new String[0])));
    }

    private String[] period(int fromMinute, int toMinute) {
        return new String[] {
            "--from=" + start.plus(Duration.ofMinutes(fromMinute)), "--to=" + start.plus(Duration.ofMinutes(toMinute))
        };
    }

    private String execute(int status, String[] period, String... more) {
        List<String> arguments = new ArrayList<>();
        arguments.add("quantiles");
        arguments.addAll(List.of(period));
        if (Arrays.stream(more).noneMatch(argument -> argument.startsWith("--influxdb-url"))) {
            arguments.add("--influxdb-url=" + requireNonNull(server).url());
        }
        arguments.addAll(List.of(more));
        StringWriter text = new StringWriter();
        CommandLine command = new CommandLine(new ReportCommand());
        command.setOut(new PrintWriter(text, true));
        command.setErr(new PrintWriter(text, true));
        assertThat(command.execute(arguments.toArray(new String[0])))
                .as(text.toString())
                .isEqualTo(status);
        return text.toString();
    }

    private long[] values(String model, String version, int fromMinute, int toMinute) {
        return raw.entrySet().stream()
                .filter(entry -> {
                    String[] key = entry.getKey().split("/", -1);
                    int minute = Integer.parseInt(key[2]);
                    return (model.isEmpty() || key[0].equals(model))
                            && (version.isEmpty() || key[1].equals(version))
                            && minute >= fromMinute
                            && minute < toMinute;
                })
                .flatMap(entry -> entry.getValue().stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    /** By sorting, and by nothing of the sketch. */
    private static void assertSame(JsonNode group, long[] sorted) {
        assertThat(group.get("n").asLong()).isEqualTo(sorted.length);
        assertThat(group.get("min").asDouble()).isEqualTo(sorted[0] / 1e6);
        assertThat(group.get("max").asDouble()).isEqualTo(sorted[sorted.length - 1] / 1e6);
        double mean = Arrays.stream(sorted).sum() / (double) sorted.length / 1e6;
        assertThat(group.get("mean").asDouble()).isCloseTo(mean, within(1e-9 * mean));
        for (JsonNode quantile : group.get("quantiles")) {
            double q = quantile.get("q").asDouble();
            int rank = (int) Math.ceil(Math.round(q * 1000) * sorted.length / 1000.0);
            double exact = sorted[rank - 1] / 1e6;
            assertThat(quantile.get("value").asDouble())
                    .as("p%s of %s", q, sorted.length)
                    .isCloseTo(exact, within(0.004 * exact));
            if (quantile.get("estimable").asBoolean()) {
                assertThat(quantile.get("low").asDouble()).isLessThanOrEqualTo(exact);
                assertThat(quantile.get("high").asDouble()).isGreaterThanOrEqualTo(exact);
            }
        }
    }

    private static String line(String view, QuantileSketch sketch, long endMicros, String... tags) {
        PointBuilder point = PointBuilder.of(Measurement.REQUEST).tag(Field.VIEW, view);
        for (int i = 0; i < tags.length; i += 2) {
            point.tag(tags[i], tags[i + 1]);
        }
        return point.integer("ttft_n", sketch.n())
                .text("ttft_sketch", Base64.getEncoder().encodeToString(SketchEncoding.encode(sketch)))
                .line(endMicros)
                .orElseThrow();
    }
}
