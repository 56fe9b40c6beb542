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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Memory and boundaries of padding from what lies in a real InfluxDB: two devices, two replicas, four days of lengths. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MemoryIT {
    private static final int DAYS = 4;

    private final Instant end = Instant.now().truncatedTo(ChronoUnit.DAYS).minus(Duration.ofHours(1));

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        List<String> lines = new ArrayList<>();
        // The device served another replica before.
        lines.add("memory,view=gpu-device,gpu=GPU-a,mig=none,node=n1,replica=r0 capacity_bytes=80e9,used_bytes=1e9 "
                + micros(end.minusSeconds(120)));
        lines.add("memory,view=gpu-device,gpu=GPU-a,mig=none,node=n1,replica=r1 capacity_bytes=80e9,used_bytes=70e9,"
                + "used_max_bytes=71e9,weights_bytes=16e9,kv_cache_bytes=40e9,fragmentation_bytes=3e9,"
                + "workspace_bytes_estimated=4e9,other_bytes_estimated=7e9,growth_bytes_per_second_estimated=1e6,"
                + "growth_low_bytes_per_second_estimated=9e5,growth_high_bytes_per_second_estimated=11e5,"
                + "full_in_seconds_estimated=9000,full_in_low_seconds_estimated=7920 " + micros(end));
        lines.add("fragmentation,view=gpu-device,gpu=GPU-a,mig=none,node=n1,replica=r1 split_share=0.046875,"
                + "allocation_retries=7i,out_of_memory=0i " + micros(end));
        lines.add("memory,view=gpu-device,gpu=GPU-b,mig=none,node=n2,replica=r2 capacity_bytes=80e9,used_bytes=20e9 "
                + micros(end));
        lines.add("kv_cache,view=engine-replica,replica=r1,model=m,version=v1 use=0.5,use_max=0.6,waste=0.25,"
                + "preemptions=3i " + micros(end));
        lines.add("kv_cache,view=engine-replica,replica=r2,model=m,version=v1 use=0.1,use_max=0.2,waste_estimated=0.5,"
                + "preemptions=0i " + micros(end));
        for (int day = 0; day < DAYS; day++) {
            lines.add(lengths("m", "v1", day, 600));
            lines.add(lengths("m", "v2", day, 600));
            lines.add(lengths("other", "v1", day, 0));
        }
        lines.add("engine,view=engine-model,model=m,version=v1 batch_size_sketch=\"" + sketch(1_200, 600) + "\" "
                + micros(end));
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
    void theLatestMinuteOfEachDeviceAndReplicaIsTold() {
        List<String> lines = memory().lines().toList();
        assertThat(lines.get(0)).endsWith("~ is estimated, all else measured");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("GPU-a"))
                .singleElement()
                .asString()
                .contains("r1", "70.00 GB", "80.00 GB", "16.00 GB", "40.00 GB", "3.00 GB", "~4.00 GB", "~7.00 GB")
                .contains("4.7 %", "~+3.60 GB", "+3.24 GB to +3.96 GB")
                .contains("~2.5 h", "2.2 h to never");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("r1"))
                .singleElement()
                .asString()
                .contains("25.0 %");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("r2"))
                .singleElement()
                .asString()
                .contains("~50.0 %");
    }

    @Test
    void figuresAreToldUnderTheirNamesAndOneReplicaAlone() throws Exception {
        JsonNode json = new ObjectMapper().readTree(memory("--replica=r1", "-o", "json"));
        assertThat(json.get("devices")).hasSize(1);
        JsonNode device = json.get("devices").get(0);
        assertThat(device.get("gpu").asText()).isEqualTo("GPU-a");
        assertThat(device.get("full_in_seconds_estimated").asDouble()).isEqualTo(9_000);
        assertThat(device.has("full_in_high_seconds_estimated")).as("not known").isFalse();
        assertThat(device.get("split_share").asDouble()).isEqualTo(0.046875);
        assertThat(json.get("replicas")).hasSize(1);
        assertThat(json.get("replicas").get(0).get("preemptions").asDouble()).isEqualTo(3);
    }

    @Test
    void whereThereIsNothingThatIsSaid() {
        StringWriter err = new StringWriter();
        assertThat(execute(new CommandLine(new MemoryCommand()), new StringWriter(), err, "--replica=r9"))
                .isEqualTo(1);
        assertThat(err.toString()).startsWith("no data: there is nothing of replica r9 from ");
    }

    @Test
    void boundariesOfAModelAreTheBestOnEachDay(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("compilation.json");
        JsonNode json = new ObjectMapper()
                .readTree(buckets(
                        "--model=m",
                        "--model-version=v1",
                        "--k=4",
                        "--current=128,1024",
                        "-o",
                        "json",
                        "--write=" + file));
        assertThat(json.get("n").asLong()).isEqualTo(1_200L * DAYS);
        assertThat(json.get("days").asInt()).isEqualTo(DAYS);
        assertThat(json.get("best")).hasToString("[40,120,130,1024]");
        // On each day 600 of 40, 540 of 120, 60 of 130 tokens.
        double tokens = 600 * 40 + 540 * 120 + 60 * 130;
        assertThat(json.get("currentPaddingEstimated").asDouble())
                .isCloseTo(1 - tokens / (1_140 * 128 + 60 * 1_024), within(1e-9));
        assertThat(json.get("bestPaddingEstimated").asDouble()).isCloseTo(0, within(1e-9));
        assertThat(json.get("recommended").asBoolean()).isTrue();
        assertThat(new ObjectMapper().readTree(Files.readString(file)))
                .hasToString("{\"cudagraph_capture_sizes\":[40,120,130,1024]}");
        assertThat(buckets("--model=m", "--k=4", "--current=128,1024"))
                .contains("n " + 2_400 * DAYS)
                .contains("best: 40,120,130,1024")
                .contains("change to them");
    }

    @Test
    void sizesOfBatchesComeFromTheEngines() {
        assertThat(buckets("--model=m", "--metric=batch_size", "--k=3"))
                .contains("powers of two")
                .contains("best: 40,130,256")
                .contains("no reason to change");
    }

    @Test
    void whatCannotBeAskedForIsSaidByItsOption() {
        assertRefused("--k: must be from 2 to 128, found 1", "--model=m", "--k=1");
        assertRefused(
                "--current: must be whole numbers from 1 on that rise, found [128, 64]",
                "--model=m",
                "--current=128,64");
        assertRefused("--metric: must be sequence_tokens or batch_size, found 'ttft'", "--model=m", "--metric=ttft");
        StringWriter err = new StringWriter();
        assertThat(execute(new CommandLine(new BucketsCommand()), new StringWriter(), err, "--model=none"))
                .isEqualTo(1);
        assertThat(err.toString()).startsWith("no data: there is no sequence_tokens of model none");
    }

    private void assertRefused(String message, String... arguments) {
        StringWriter err = new StringWriter();
        assertThat(execute(new CommandLine(new BucketsCommand()), new StringWriter(), err, arguments))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith(message);
    }

    private String memory(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertThat(execute(new CommandLine(new MemoryCommand()), out, err, arguments))
                .as(err.toString())
                .isZero();
        return out.toString();
    }

    private String buckets(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertThat(execute(new CommandLine(new BucketsCommand()), out, err, arguments))
                .as(err.toString())
                .isZero();
        return out.toString();
    }

    private int execute(CommandLine command, StringWriter out, StringWriter err, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--from=" + end.minus(Duration.ofDays(DAYS)));
        all.add("--to=" + end);
        all.add("--influxdb-url=" + requireNonNull(server).url());
        return command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(all.toArray(new String[0]));
    }

    private String lengths(String model, String version, int day, int shortOnes) {
        return "request,view=model-version,model=%s,version=%s sequence_tokens_sketch=\"%s\" %d"
                .formatted(
                        model,
                        version,
                        sketch(1_200, shortOnes),
                        micros(end.minus(Duration.ofDays(day)).minus(Duration.ofMinutes(1))));
    }

    private static String sketch(int n, int shortOnes) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < n; i++) {
            sketch.add(i < shortOnes ? 40 : i < 1_140 ? 120 : 130);
        }
        return Base64.getEncoder().encodeToString(SketchEncoding.encode(sketch));
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
