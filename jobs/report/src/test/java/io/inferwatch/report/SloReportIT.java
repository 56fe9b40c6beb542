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

/** Objectives from what lies in a real InfluxDB: one that was kept a minute before and is broken now, one that is kept, one of the fleet that nothing is known of. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SloReportIT {
    /** In minutes: far enough for a shard of its own, which knows no other fields than that point's. */
    private static final int MINUTES_BEFORE = 3 * 24 * 60;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(30));

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        List<String> lines = List.of(
                line(
                        "view=model-version,model=m,version=v1",
                        "answers",
                        -MINUTES_BEFORE,
                        "state=\"OK\",firing=\"\",target=0.99"),
                line(
                        "view=model-version,model=m,version=v1",
                        "answers",
                        0,
                        "state=\"OK\",firing=\"\",target=0.99,burn=0.5"),
                line(
                        "view=model-version,model=m,version=v1",
                        "answers",
                        1,
                        "state=\"BREACH\",firing=\"page-1h, page-6h\",target=0.99,attained=0.9,good=900i,total=1000i,"
                                + "burn=25.0,budget_left=-0.5,exhausted_in_seconds=0.0,pressure=1.7"),
                line(
                        "view=model-version,model=m,version=v2",
                        "answers",
                        1,
                        "state=\"OK\",firing=\"\",target=0.99,attained=0.9995,good=9995i,total=10000i,"
                                + "burn=0.5,budget_left=0.95,exhausted_in_seconds=360000.0,pressure=0.1"),
                line(
                        "view=fleet",
                        "fast",
                        1,
                        "state=\"NO_DATA\",firing=\"\",target=0.95,metric=\"ttft\",unit=\"seconds\",threshold=2.0,"
                                + "effective_threshold=1.995,good=0i,total=0i"));
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
    void theTableTellsTheBrokenOneFirst() {
        Answer answer = run();
        assertThat(answer.status).isZero();
        List<String> lines = answer.out.lines().toList();
        assertThat(lines).hasSize(5);
        String end = "  " + at(1);
        assertThat(lines.get(1).split(" {2,}"))
                .containsExactly(
                        "objective",
                        "of",
                        "state",
                        "firing",
                        "good",
                        "target",
                        "budget left",
                        "burn",
                        "spent in",
                        "at");
        assertThat(lines.get(2)).endsWith(end);
        assertThat(lines.get(2).split(" {2,}"))
                .containsExactly(
                        "answers",
                        "model m, version v1",
                        "BREACH",
                        "page-1h, page-6h",
                        "90.000 %",
                        "99.000 %",
                        "-50.0 %",
                        "25.0",
                        "is spent",
                        at(1).toString());
        assertThat(lines.get(3).split(" {2,}"))
                .containsExactly(
                        "answers",
                        "model m, version v2",
                        "OK",
                        "-",
                        "99.950 %",
                        "99.000 %",
                        "95.0 %",
                        "0.500",
                        "4 d",
                        at(1).toString());
        assertThat(lines.get(4).split(" {2,}"))
                .containsExactly("fast", "fleet", "NO_DATA", "-", "-", "95.000 %", "-", "-", "-", at(1).toString());
    }

    @Test
    void forMachinesAndForPipelines() throws Exception {
        Answer answer = run("-o", "json", "--fail-on-breach");
        assertThat(answer.status).isEqualTo(1);
        JsonNode objectives = new ObjectMapper().readTree(answer.out).get("objectives");
        assertThat(objectives).hasSize(3);
        assertThat(objectives.get(0).at("/series/version").asText()).isEqualTo("v1");
        assertThat(objectives.get(0).get("budgetLeft").asDouble()).isEqualTo(-0.5);
        assertThat(objectives.get(0).has("effectiveThreshold")).isFalse();
        assertThat(objectives.get(2).get("effectiveThreshold").asDouble()).isEqualTo(1.995);
        assertThat(objectives.get(2).get("unit").asText()).isEqualTo("seconds");
        assertThat(objectives.get(2).has("burn")).isFalse();
        assertThat(run("--slo", "fast", "--fail-on-breach").status)
                .as("another one is broken")
                .isZero();
        Answer before = run("--to", at(0).plusSeconds(1).toString(), "--fail-on-breach");
        assertThat(before.status)
                .as("a minute before: %s %s", before.out, before.err)
                .isZero();
    }

    @Test
    void whatNoPointOfAPeriodTellsIsAbsent() throws Exception {
        Answer answer = run(
                "--from",
                at(-MINUTES_BEFORE - 1).toString(),
                "--to",
                at(-MINUTES_BEFORE).toString(),
                "-o",
                "json");
        assertThat(answer.status).as(answer.err).isZero();
        JsonNode objectives = new ObjectMapper().readTree(answer.out).get("objectives");
        assertThat(objectives).hasSize(1);
        assertThat(objectives.get(0).get("state").asText()).isEqualTo("OK");
        assertThat(objectives.get(0).has("burn")).isFalse();
        assertThat(objectives.get(0).has("attained")).isFalse();
    }

    @Test
    void withoutDataAndWithBadInputItSaysSo() {
        Answer nothing = run("--slo", "none");
        assertThat(nothing.status).isEqualTo(1);
        assertThat(nothing.err)
                .startsWith("no data: nothing is told of objective none from ")
                .contains("inferwatch slo apply");
        Answer reversed = run("--from", "now", "--to", "-1h");
        assertThat(reversed.status).isEqualTo(2);
        assertThat(reversed.err).startsWith("--from, --to: must be in this order, found ");
    }

    private record Answer(int status, String out, String err) {}

    private Answer run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new SloReportCommand())
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

    private String line(String tags, String slo, int minute, String fields) {
        return "slo," + tags + ",slo=" + slo + ",service=chat " + fields + " "
                + ChronoUnit.MICROS.between(Instant.EPOCH, at(minute));
    }
}
