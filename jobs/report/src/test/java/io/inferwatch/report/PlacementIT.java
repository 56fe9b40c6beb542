package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import picocli.CommandLine;

/** Placement from what lies in a real InfluxDB: of two devices of a node, the second was near a minute before and is far now. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlacementIT {
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(30));

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        List<String> lines = List.of(
                line(
                        "GPU-a",
                        "none",
                        0,
                        "placed=\"near\",device_index=0i,numa_node=0i,recommended_cpus=\"0-31\","
                                + "actual_cpus=\"0-31\",process=\"vllm (11)\",misplaced=0i"),
                line("GPU-b", "MIG-1", 0, "placed=\"near\",device_index=1i,misplaced=0i"),
                line(
                        "GPU-b",
                        "MIG-1",
                        1,
                        "placed=\"far\",device_index=1i,numa_node=1i,recommended_cpus=\"32-63\","
                                + "actual_cpus=\"0-31\",process=\"vllm (4711)\",misplaced=1i,"
                                + "command=\"taskset -acp 32-63 4711\",start=\"numactl --cpunodebind=1 --membind=1\""),
                line("GPU-c", "none", 0, "placed=\"unknown\",device_index=2i,misplaced=0i"));
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
    void theTableTellsTheFarOneFirstAndTheCommandThatMendsIt() {
        Answer answer = run();
        assertThat(answer.status).isZero();
        List<String> lines = answer.out.lines().toList();
        assertThat(lines.get(1))
                .startsWith("node  GPU  UUID   MIG    NUMA  processors near  process      may run on  verdict");
        assertThat(lines.get(2))
                .startsWith("n1    1    GPU-b  MIG-1  1     32-63            vllm (4711)  0-31        far ");
        assertThat(lines.get(3))
                .startsWith("n1    0    GPU-a  -      0     0-31             vllm (11)    0-31        near ");
        assertThat(lines.get(4))
                .startsWith("n1    2    GPU-c  -      -     -                -            -           unknown");
        assertThat(lines.subList(5, lines.size()))
                .containsExactly(
                        "",
                        "vllm (4711) on n1 is far from GPU-b/MIG-1:",
                        "  taskset -acp 32-63 4711",
                        "  or start it with: numactl --cpunodebind=1 --membind=1 ...");
    }

    @Test
    void forMachinesAndForPipelines() throws Exception {
        Answer answer = run("-o", "json", "--fail-on-far");
        assertThat(answer.status).isEqualTo(1);
        JsonNode devices = new ObjectMapper().readTree(answer.out).get("devices");
        assertThat(devices).hasSize(3);
        assertThat(devices.get(0).get("command").asText()).isEqualTo("taskset -acp 32-63 4711");
        assertThat(devices.get(0).get("confirmed").asBoolean()).isTrue();
        assertThat(devices.get(0).get("at").asText()).isEqualTo(at(1).toString());
        assertThat(devices.get(2).has("numaNode")).isFalse();
        assertThat(run("--to", at(0).plusSeconds(1).toString(), "--fail-on-far").status)
                .as("a minute before")
                .isZero();
    }

    @Test
    void withoutDataAndWithBadInputItSaysSo() {
        Answer nothing = run("--from", "-1m");
        assertThat(nothing.status).isEqualTo(1);
        assertThat(nothing.err).startsWith("no data: from ").contains("inferwatch probe gpu");
        Answer reversed = run("--from", "now", "--to", "-1h");
        assertThat(reversed.status).isEqualTo(2);
        assertThat(reversed.err).startsWith("--from, --to: must be in this order, found ");
    }

    private record Answer(int status, String out, String err) {}

    private Answer run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new PlacementCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        String[] all = new String[arguments.length + 1];
        all[0] = "--influxdb-url=" + requireNonNull(server).url();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int status = command.execute(all);
        return new Answer(status, out.toString(), err.toString());
    }

    private Instant at(int minute) {
        return start.plus(Duration.ofMinutes(minute));
    }

    private String line(String gpu, String mig, int minute, String fields) {
        return "placement,view=gpu-device,gpu=" + gpu + ",mig=" + mig + ",node=n1 " + fields + " "
                + ChronoUnit.MICROS.between(Instant.EPOCH, at(minute));
    }
}
