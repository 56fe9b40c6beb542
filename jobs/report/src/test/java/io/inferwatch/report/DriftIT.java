package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.InfluxWriter;
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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.commons.statistics.distribution.HypergeometricDistribution;
import org.apache.commons.statistics.distribution.TDistribution;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import picocli.CommandLine;

/**
 * Verdicts from what lies in a real InfluxDB. Of versions against the sorted values themselves, seed 7: v2 is half slower than v1 at the
 * same time, v3 is no different, v4 is half slower later, v5 has hardly any requests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DriftIT {
    private static final int MINUTES = 90;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
    /** Raw values, microseconds, by version. */
    private final Map<String, List<Long>> raw = new TreeMap<>();

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        SplittableRandom random = new SplittableRandom(7);
        List<String> lines = new ArrayList<>();
        for (int minute = 0; minute < MINUTES; minute++) {
            // Two models, which a question by version merges.
            for (String model : List.of("m1", "m2")) {
                if (minute < 60) {
                    lines.add(sketch(model, "v1", minute, 50, 1, random));
                    lines.add(sketch(model, "v2", minute, 30, 1.5, random));
                    lines.add(sketch(model, "v3", minute, 30, 1, random));
                } else {
                    lines.add(sketch(model, "v4", minute, 20, 1.5, random));
                }
            }
        }
        lines.add(sketch("m1", "v5", 3, 20, 1, random));
        lines.add(drift("n1", 10, "p99", "verdict=\"NO_DRIFT\",change=0.01,n=900i,drifting=0i"));
        lines.add(drift(
                "n1",
                11,
                "p99",
                "verdict=\"DRIFT\",unit=\"seconds\",current=0.6,baseline=0.4,change=0.5,change_low=0.4,change_high=0.6,"
                        + "n=1000i,adjusted_verdict=\"DRIFT\",adjusted_change=0.375,mix_share=0.25,drifting=1i,"
                        + "drifting_since_micros=" + micros(9) + "i"));
        lines.add(drift(
                "n2", 11, "p99", "verdict=\"DRIFT\",change=0.75,n=500i,adjusted_verdict=\"NO_DRIFT\",drifting=0i"));
        lines.add(drift("n3", 11, "p99", "verdict=\"NOT_ESTIMABLE\",n=0i,drifting=0i"));
        lines.add(
                "drift,view=fleet,metric=error_ratio,statistic=share verdict=\"NO_DRIFT\",change=0.001,n=9i,drifting=0i "
                        + micros(11));
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(server.url()))) {
            new InfluxSetup(client).run();
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

    @Test
    void everyVersionIsJudgedAgainstTheBaseline() throws Exception {
        JsonNode json = json(compare("--baseline=v1"));

        assertThat(json.get("view").asText()).isEqualTo("model-version");
        assertThat(json.get("statistic").asText()).isEqualTo("p99");
        assertThat(json.get("threshold").asDouble()).isEqualTo(0.03);
        JsonNode baseline = json.get("baseline");
        assertThat(baseline.get("n").asLong()).isEqualTo(6_000);
        assertThat(baseline.get("minutesWithData").asLong()).isEqualTo(60);
        assertThat(baseline.get("statistic").asDouble()).isCloseTo(p99("v1"), within(0.004 * p99("v1")));

        Map<String, JsonNode> candidates = byValue(json);
        assertThat(candidates).containsOnlyKeys("v2", "v3", "v4", "v5");
        candidates.forEach((version, node) -> {
            assertThat(node.get("n").asLong()).isEqualTo(values(version).length);
            assertThat(node.get("statistic").asDouble()).isCloseTo(p99(version), within(0.004 * p99(version)));
        });
        for (String version : List.of("v2", "v3", "v4")) {
            JsonNode node = requireNonNull(candidates.get(version));
            double change = p99(version) / p99("v1") - 1;
            assertThat(node.get("change").asDouble()).isCloseTo(change, within(0.012));
            assertThat(node.get("low").asDouble()).isLessThan(change);
            assertThat(node.get("high").asDouble()).isGreaterThan(change);
            double p = precedence(values("v1"), values(version));
            assertThat(node.get("p").asDouble()).isCloseTo(p, within(1e-9 * p));
            assertThat(node.get("detectableChange").asDouble()).isPositive();
        }
        assertThat(verdicts(json))
                .containsEntry("v2", "same-minutes DRIFT")
                .containsEntry("v5", "other-minutes NOT_ESTIMABLE")
                // A minute of v1 has 100 requests: too few to tell how its P99 varies by itself.
                .containsEntry("v4", "other-minutes INCONCLUSIVE");
        assertThat(verdicts(json).get("v3")).isIn("same-minutes INCONCLUSIVE", "same-minutes NO_DRIFT");
        assertThat(requireNonNull(candidates.get("v2")).get("provableChange").asDouble())
                .isGreaterThan(requireNonNull(candidates.get("v2"))
                        .get("detectableChange")
                        .asDouble());
        assertThat(requireNonNull(candidates.get("v5")).has("change")).isFalse();
        assertThat(requireNonNull(candidates.get("v4")).has("provableChange")).isFalse();
        // The one that has drifted stands first, the others by n.
        assertThat(json.get("candidates"))
                .extracting(node -> node.get("value").asText())
                .containsExactly("v2", "v3", "v4", "v5");
        assertFalseDiscoveryRate(json.get("candidates"));
    }

    @Test
    void aStatisticThatMinutesCanTellIsJudgedAcrossTime() throws Exception {
        assertThat(verdicts(json(compare("--baseline=v1", "--statistic=p50"))))
                .containsEntry("v2", "same-minutes DRIFT")
                .containsEntry("v4", "other-minutes DRIFT");
    }

    @Test
    void meansAreComparedByTheLogarithmOfTheirRatio() throws Exception {
        JsonNode v2 = requireNonNull(
                byValue(json(compare("--baseline=v1", "--statistic=mean"))).get("v2"));

        double[] before = moments(values("v1"));
        double[] now = moments(values("v2"));
        double ratio = Math.log(now[0] / before[0]);
        double b = before[1] / (before[0] * before[0] * values("v1").length);
        double c = now[1] / (now[0] * now[0] * values("v2").length);
        double freedom = (b + c) * (b + c) / (b * b / (values("v1").length - 1) + c * c / (values("v2").length - 1));
        double reach = TDistribution.of(freedom).inverseSurvivalProbability(0.025) * Math.sqrt(b + c);
        assertThat(v2.get("statistic").asDouble()).isCloseTo(now[0] / 1e6, within(1e-9));
        assertThat(v2.get("change").asDouble()).isCloseTo(Math.expm1(ratio), within(1e-9));
        // The variance comes from buckets.
        assertThat(v2.get("low").asDouble()).isCloseTo(Math.expm1(ratio - reach), within(0.001));
        assertThat(v2.get("high").asDouble()).isCloseTo(Math.expm1(ratio + reach), within(0.001));
    }

    @Test
    void oneCandidateIsJudgedAlone() throws Exception {
        JsonNode json = json(compare("--baseline=v1", "--candidate=v2"));

        assertThat(byValue(json)).containsOnlyKeys("v2");
        JsonNode v2 = json.get("candidates").get(0);
        assertThat(v2.get("q").asDouble()).isEqualTo(v2.get("p").asDouble());
        assertThat(verdicts(json(compare("--baseline=v1", "--candidate=v2", "--threshold=80%"))))
                .containsEntry("v2", "same-minutes NO_DRIFT");
    }

    @Test
    void aDriftFailsOnlyThoseWhoAskForIt() {
        assertThat(execute(0, compare("--baseline=v1", "--candidate=v2")).lines())
                .anySatisfy(line -> assertThat(line).startsWith("v2 ").contains(" DRIFT ", "same minutes"));
        execute(1, compare("--baseline=v1", "--candidate=v2", "--fail-on-drift"));
        execute(0, compare("--baseline=v1", "--candidate=v3", "--fail-on-drift"));
        execute(1, "--metric=ttft", "--by=node", "--from=" + start, "--fail-on-drift");
        execute(0, "--metric=error_ratio", "--from=" + start, "--fail-on-drift");
    }

    @Test
    void theLatestVerdictsAreToldWorstFirst() throws Exception {
        JsonNode json = json("--metric=ttft", "--by=node", "--from=" + start);

        assertThat(json.get("view").asText()).isEqualTo("node-prompt");
        assertThat(json.get("keys"))
                .extracting(key -> key.get("by").get("node").asText() + " "
                        + key.get("verdict").asText())
                .containsExactly("n1 DRIFT", "n2 DRIFT", "n3 NOT_ESTIMABLE");
        assertThat(json.get("keys").get(0)).isEqualTo(new ObjectMapper().readTree("""
                                {"by": {"node": "n1"}, "statistic": "p99", "at": "%s", "verdict": "DRIFT",
                                 "unit": "seconds", "current": 0.6, "baseline": 0.4, "change": 0.5, "low": 0.4,
                                 "high": 0.6, "n": 1000, "adjustedVerdict": "DRIFT", "adjustedChange": 0.375,
                                 "mixShare": 0.25, "drifting": true, "driftingSince": "%s"}
                                """.formatted(at(11), at(9))));
        assertThat(execute(0, "--metric=ttft", "--by=node", "--from=" + start).lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("n1 ")
                        .contains("p99", "DRIFT", at(9).toString(), "600.0 ms", "400.0 ms", "+50.0 %", "25.0 %"));
        assertThat(json("--metric=ttft", "--by=node", "--from=" + start, "--to=" + at(10))
                        .get("keys"))
                .hasSize(1);
    }

    @Test
    void noDataSaysSo() {
        String from = "--from=" + start.minus(Duration.ofHours(2));
        String to = "--to=" + start.minus(Duration.ofHours(1));

        assertThat(execute(1, "--metric=ttft", "--by=version", "--baseline=v1", from, to))
                .contains("view model-version has no sketches of ttft", "there are some from " + start);
        assertThat(execute(1, "--metric=ttft", "--by=version", "--baseline=v4", "--from=" + at(60), "--to=" + at(90)))
                .contains("there is no version but v4");
        assertThat(execute(1, "--metric=ttft", "--by=node", from, to)).startsWith("no data: view node-prompt");
    }

    @Test
    void badInputIsOneMessageAndStatusTwo() {
        assertThat(refused(compare("--baseline=v0")))
                .contains("--baseline: must be a version with data from", "found 'v0', did you mean 'v1'?");
        assertThat(refused(compare("--baseline=v1", "--candidate=v9")))
                .contains("--candidate: must be a version", "did you mean 'v1'?");
        assertThat(refused(compare("--baseline=v1", "--candidate=v1")))
                .isEqualTo("--candidate: must be another value than --baseline, found 'v1'");
        assertThat(refused(compare("--baseline=v1", "--statistic=p98")))
                .isEqualTo("--statistic: must be one of p50, p90, p95, p99, mean, found 'p98', did you mean 'p90'?");
        assertThat(refused(compare("--baseline=v1", "--threshold=3")))
                .isEqualTo("--threshold: must be a percentage such as 3% or 0.5%, found '3'");
        assertThat(refused("--metric=ttft", "--baseline=v1"))
                .isEqualTo("--by: must be the one dimension whose values are compared, found none");
        assertThat(refused("--metric=ttft", "--by=model,version", "--baseline=v1"))
                .isEqualTo("--by: must be the one dimension whose values are compared, found model,version");
        assertThat(refused("--metric=tftt", "--by=version", "--baseline=v1")).contains("did you mean 'ttft'?");
        assertThat(refused("--metric=ttft", "--by=verison", "--baseline=v1")).contains("did you mean 'version'?");
        assertThat(refused("--metric=ttft", "--candidate=v1"))
                .isEqualTo("--candidate: must come with --baseline, found it alone");
        assertThat(refused("--metric=ttft", "--threshold=3%"))
                .isEqualTo("--threshold: must come with --baseline, found it alone");
        assertThat(refused("--metric=tftt"))
                .isEqualTo("--metric: must be one that is watched for drift (ttft, tpot, e2e, queue, error_ratio),"
                        + " found 'tftt', did you mean 'ttft'?");
        assertThat(refused("--metric=ttft", "--statistic=p50"))
                .isEqualTo("--statistic: must be one that is watched of ttft (p99), found 'p50', did you mean 'p99'?");
        assertThat(refused("--metric=ttft", "--by=nod"))
                .isEqualTo("--by: must be of model, node, replica, tenant, version, found 'nod', did you mean 'node'?");
        assertThat(refused("--metric=tpot", "--by=node"))
                .isEqualTo("--by: must be of model, replica, tenant, version, found 'node', did you mean 'model'?");
        assertThat(refused("--metric=ttft", "--by=node,model"))
                .isEqualTo("--by: must be dimensions of one view that is watched for drift (none; replica,version;"
                        + " tenant,model; model,version; node), found node,model");
        assertThat(refused("--metric=ttft", "--from=now", "--to=-1h"))
                .startsWith("--from, --to: must be in this order");
    }

    private String[] compare(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--metric=ttft", "--by=version", "--from=" + start, "--to=" + start.plus(Duration.ofMinutes(MINUTES))));
        arguments.addAll(List.of(more));
        return arguments.toArray(new String[0]);
    }

    private JsonNode json(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("-o", "json"));
        return new ObjectMapper().readTree(execute(0, all.toArray(new String[0])));
    }

    private String refused(String... arguments) {
        String message = execute(2, arguments);
        assertThat(message.lines()).hasSize(1);
        return message.strip();
    }

    private String execute(int status, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("drift", "--influxdb-url=" + requireNonNull(server).url()));
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

    private static Map<String, JsonNode> byValue(JsonNode json) {
        Map<String, JsonNode> candidates = new TreeMap<>();
        json.get("candidates").forEach(node -> candidates.put(node.get("value").asText(), node));
        return candidates;
    }

    private static Map<String, String> verdicts(JsonNode json) {
        Map<String, String> verdicts = new TreeMap<>();
        json.get("candidates")
                .forEach(node -> verdicts.put(
                        node.get("value").asText(),
                        node.get("against").asText() + " " + node.get("verdict").asText()));
        return verdicts;
    }

    /** By the definition: the least over all that are no less likely of p K / rank. */
    private static void assertFalseDiscoveryRate(JsonNode candidates) {
        List<Double> p = new ArrayList<>();
        candidates.forEach(node -> {
            if (node.has("p")) {
                p.add(node.get("p").asDouble());
            }
        });
        assertThat(p).hasSize(3);
        candidates.forEach(node -> {
            if (!node.has("p")) {
                assertThat(node.has("q")).isFalse();
                return;
            }
            double least = 1;
            for (double other : p) {
                if (other >= node.get("p").asDouble()) {
                    long rank = p.stream().filter(one -> one <= other).count();
                    least = Math.min(least, other * p.size() / rank);
                }
            }
            assertThat(node.get("q").asDouble()).isCloseTo(least, within(1e-12));
        });
    }

    /** The precedence test by counting in sorted arrays: 3 % are four of the buckets between powers of 1.03 to the quarter. */
    private static double precedence(long[] before, long[] now) {
        long threshold = before[(int) Math.ceil(0.99 * before.length) - 1];
        int bucket = (int) Math.floor(Math.log((double) threshold) / Math.log(1.03) * 4);
        int b = above(before, Math.pow(1.03, (bucket + 1) / 4.0));
        int e = above(now, Math.pow(1.03, (bucket + 5) / 4.0));
        return HypergeometricDistribution.of(before.length + now.length, now.length, b + e)
                .survivalProbability(e - 1);
    }

    private static int above(long[] sorted, double bound) {
        return (int) Arrays.stream(sorted).filter(value -> value >= bound).count();
    }

    /** Mean and sample variance. */
    private static double[] moments(long[] values) {
        double mean = Arrays.stream(values).average().orElseThrow();
        double squares = Arrays.stream(values)
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        return new double[] {mean, squares / (values.length - 1)};
    }

    private double p99(String version) {
        long[] sorted = values(version);
        return sorted[(int) Math.ceil(0.99 * sorted.length) - 1] / 1e6;
    }

    private long[] values(String version) {
        return requireNonNull(raw.get(version)).stream()
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    private Instant at(int minute) {
        return start.plus(Duration.ofMinutes(minute));
    }

    private long micros(int minute) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at(minute));
    }

    private String sketch(String model, String version, int minute, int n, double slower, SplittableRandom random) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < n; i++) {
            long value = Math.round(200_000 * slower * Math.exp(0.5 * random.nextGaussian()));
            sketch.add(value);
            raw.computeIfAbsent(version, key -> new ArrayList<>()).add(value);
        }
        return "request,view=model-version,model=" + model + ",version=" + version + " ttft_sketch=\""
                + Base64.getEncoder().encodeToString(SketchEncoding.encode(sketch)) + "\" " + micros(minute + 1);
    }

    private String drift(String node, int minute, String statistic, String fields) {
        return "drift,view=node-prompt,node=" + node + ",metric=ttft,statistic=" + statistic + " " + fields + " "
                + micros(minute);
    }
}
