package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
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

/** Costs, tenants and causes from what lies in a real InfluxDB: two minutes of two kinds of devices, one without a price, of two tenants and an alert. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CostIT {
    private static final String A100 = "cost,view=gpu-product,model=m,version=v1,product=A100 ";
    private static final String L4 = "cost,view=gpu-product,model=m,version=v1,product=L4 ";

    private final Instant end = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(30));

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        String choice = "device_choice,view=gpu-product,model=m,version=v1,product=A100,device=";
        List<String> lines = List.of(
                A100
                        + "dollars=0.10,useful_tokens=4000i,answered=40i,devices_seconds=120,idle_seconds=30,idle_dollars=0.025,"
                        + "generated_tokens=5000i,generating_seconds=50,generating_dollars=0.04,preempted_dollars=0.002,failed_dollars=0.006 "
                        + at(0),
                A100
                        + "dollars=0.10,useful_tokens=1000i,answered=10i,devices_seconds=120,idle_seconds=90,idle_dollars=0.075,"
                        + "generated_tokens=1000i,generating_seconds=10,generating_dollars=0.008,preempted_dollars=0,failed_dollars=0 "
                        + at(1),
                L4 + "useful_tokens=1000i,answered=10i,devices_seconds=60,idle_seconds=0 " + at(1),
                "cost,view=tenant-model,tenant=a,model=m dollars=0.15,useful_tokens=3000i,answered=30i " + at(1),
                "cost,view=tenant-model,tenant=b,model=m dollars=0.05,useful_tokens=2000i,answered=20i " + at(1),
                choice
                        + "A100 cheapness=2i,devices=1i,effective_tokens_per_second=100,per_thousand_tokens_dollars=0.009,per_hour_dollars=3.2 "
                        + at(1),
                choice
                        + "H100 cheapness=1i,devices=1i,effective_tokens_per_second=162,per_thousand_tokens_dollars=0.008,per_hour_dollars=2.5 "
                        + at(1),
                "tenant,view=tenant-replica,tenant=a jitter_windows=60i,p99_mean_seconds=2.4,p99_jitter_seconds=0.32,"
                        + "p99_jitter_low_seconds=0.27,p99_jitter_high_seconds=0.39,neighbour_ratio=1.25,neighbour_ratio_low=1.1,"
                        + "neighbour_ratio_high=1.4,neighbour_p=0.00001,disturbed=1i,replicas=8i,cgroup_memory_share=0.75 "
                        + at(1),
                "tenant,view=tenant-replica,tenant=b jitter_windows=60i,p99_mean_seconds=0.4,p99_jitter_seconds=0.028,"
                        + "p99_jitter_low_seconds=0.02,p99_jitter_high_seconds=0.04 " + at(1),
                "cause,view=node-prompt,alert=drift,fingerprint=drift:n1,rank=2 cause=\"unknown\",cause_evidence=\"\",cause_share=0.13 "
                        + at(1),
                "cause,view=node-prompt,alert=drift,fingerprint=drift:n1,rank=1 cause=\"slow-device\",cause_share=0.87,score=0.4,"
                        + "cause_evidence=\"90 % of the rise in latency\",lead_seconds=120 " + at(1));
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
    void dollarsOfAPeriodAddUpAndDivideByWhatTheyBought() throws Exception {
        JsonNode json = new ObjectMapper().readTree(run(new CostCommand(), "-o", "json").out);
        JsonNode a100 = json.get("devices").get(0);
        assertThat(a100.get("product").asText()).isEqualTo("A100");
        close(a100, "dollars", 0.2);
        close(a100, "all_in_per_thousand_tokens_dollars", 0.2 / 5);
        close(a100, "per_request_dollars", 0.2 / 50);
        close(a100, "per_thousand_tokens_dollars", 0.048 / 6);
        close(a100, "effective_tokens_per_second", 100);
        close(a100, "idle_dollars", 0.1);
        JsonNode l4 = json.get("devices").get(1);
        assertThat(l4.get("product").asText()).isEqualTo("L4");
        assertThat(l4.has("dollars")).as("without a price").isFalse();
        assertThat(json.get("tenants").get(0).get("tenant").asText()).isEqualTo("a");
        close(json.get("tenants").get(1), "all_in_per_thousand_tokens_dollars", 0.025);
        assertThat(json.get("choices").get(0).get("device").asText()).isEqualTo("H100");
    }

    @Test
    void tablesForPeople() {
        List<String> lines = run(new CostCommand()).out.lines().toList();
        assertThat(lines)
                .filteredOn(line -> line.startsWith("m      v1       A100 "))
                .anySatisfy(line -> assertThat(line)
                        .contains("0.07  0.2000", "0.0080", "0.0400", "0.0040", "100.0", "50.0 %", "0.1000", "0.0060"))
                .anySatisfy(line -> assertThat(line).contains("H100 (cheapest)", "162.0", "2.500"));
        assertThat(lines)
                .filteredOn(line -> line.startsWith("m      v1       L4 "))
                .singleElement()
                .asString()
                .contains(" - ");
        List<String> tenants = run(new TenantsCommand()).out.lines().toList();
        assertThat(tenants)
                .filteredOn(line -> line.startsWith("a "))
                .singleElement()
                .asString()
                .contains(
                        "2.400 s",
                        "320.0 ms",
                        "270.0 ms to 390.0 ms",
                        "1.250",
                        "1.100 to 1.400",
                        "<0.0001",
                        "yes",
                        "75.0 %");
        assertThat(tenants)
                .filteredOn(line -> line.startsWith("b "))
                .singleElement()
                .asString()
                .contains("28.00 ms", " - ");
    }

    @Test
    void causesOfAnAlertByTheirRank() throws Exception {
        List<String> lines = run(new CausesCommand()).out.lines().toList();
        assertThat(lines.get(2))
                .contains("drift:n1", "slow-device", "90 % of the rise in latency", "87.0 %", "0.4000", "2 min");
        assertThat(lines.get(3)).doesNotContain("drift:n1").contains("unknown", "13.0 %");
        JsonNode causes = new ObjectMapper()
                .readTree(run(new CausesCommand(), "-o", "json").out)
                .get("causes");
        assertThat(causes.get(0).get("cause").asText()).isEqualTo("slow-device");
        assertThat(causes.get(0).get("at").asText())
                .isEqualTo(end.plus(Duration.ofMinutes(1)).toString());
        assertThat(causes.get(1).has("score")).isFalse();
    }

    @Test
    void withoutDataAndWithBadInputItSaysSo() {
        Answer nothing = run(new CostCommand(), "--from", "-1m");
        assertThat(nothing.status).isEqualTo(1);
        assertThat(nothing.err).startsWith("no data: from ").contains("inferwatch probe gpu");
        Answer reversed = run(new TenantsCommand(), "--from", "now", "--to", "-1h");
        assertThat(reversed.status).isEqualTo(2);
        assertThat(reversed.err).startsWith("--from, --to: must be in this order, found ");
    }

    private record Answer(int status, String out, String err) {}

    private Answer run(Object subcommand, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command =
                new CommandLine(subcommand).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] all = new String[arguments.length + 1];
        all[0] = "--influxdb-url=" + requireNonNull(server).url();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int status = command.execute(all);
        return new Answer(status, out.toString(), err.toString());
    }

    private long at(int minute) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, end.plus(Duration.ofMinutes(minute)));
    }

    private static void close(JsonNode node, String field, double expected) {
        assertThat(node.get(field).asDouble()).as(field).isCloseTo(expected, within(1e-9));
    }
}
