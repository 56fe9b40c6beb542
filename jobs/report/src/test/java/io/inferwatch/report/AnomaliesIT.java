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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import picocli.CommandLine;

/**
 * Anomalies from what lies in a real InfluxDB: a replica that was slow twice, the first time in shadow, the second time still; a fleet that shifted in between; ten minutes of two statistics.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnomaliesIT {
    private static final String SLOW = "replica\\=r1";

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MINUTES).minus(Duration.ofMinutes(50));

    private @Nullable InfluxServer server;

    @BeforeAll
    void store() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        List<String> lines = new ArrayList<>(List.of(
                finding(SLOW, 2, "OPEN", 0, 0, "anomalous=1i,series=1i,summary=\"r1 is slow\",evidence=\"one\ntwo\","),
                finding(SLOW, 9, "RESOLVED", 0, 0, "summary=\"r1 is as usual again\","),
                finding(
                        "fleet",
                        12,
                        "OPEN",
                        10,
                        1,
                        "anomalous=7i,series=8i,summary=\"all are slow\",evidence=\"one\","),
                finding("fleet", 20, "EXPIRED", 10, 1, "summary=\"all is silent\","),
                finding(SLOW, 32, "OPEN", 30, 0, "anomalous=1i,series=1i,summary=\"r1 is slow\",evidence=\"one\","),
                finding(
                        SLOW,
                        35,
                        "OPEN",
                        30,
                        1,
                        "anomalous=2i,series=2i,summary=\"r1 is slow\",evidence=\"one\nthree\",")));
        for (int minute = 0; minute < 10; minute++) {
            boolean isSlow = minute >= 6;
            lines.add(anomaly("ttft", "p50", minute, isSlow ? "ANOMALOUS" : "OK", isSlow ? 1 : 0));
            lines.add(anomaly("kv_use", "mean", minute, "OK", 0));
        }
        lines.add("anomaly,view=v,replica=r9,metric=ttft,statistic=p50 state=\"LEARNING\",observed=1,told=0i "
                + micros(3));
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
    void everyFindingIsToldFromItsBeginningToItsEnd() {
        Answer answer = run();
        assertThat(answer.status).isZero();
        List<String> lines = answer.out.lines().toList();
        assertThat(lines.subList(1, lines.size()))
                .containsExactly(
                        "",
                        at(0) + "  9 min, resolved  in shadow  replica=r1",
                        "  r1 is slow",
                        "  two",
                        "",
                        at(10) + "  10 min, expired  alert  fleet",
                        "  all are slow",
                        "",
                        at(30) + "  open  alert  replica=r1",
                        "  r1 is slow",
                        "  three",
                        "",
                        "statistic    minutes judged  anomalous   of them  told",
                        "kv_use.mean              10          0   0.000 %     0",
                        "ttft.p50                 10          4  40.000 %     4");
    }

    @Test
    void forMachines() throws Exception {
        JsonNode root = new ObjectMapper().readTree(run("-o", "json", "--from", at(5).toString()).out);
        assertThat(root.get("findings")).hasSize(3);
        JsonNode cut = root.get("findings").get(0);
        assertThat(cut.get("summary").asText())
                .as("its beginning is not in the period")
                .isEqualTo("r1 is as usual again");
        assertThat(cut.has("anomalous")).isFalse();
        JsonNode fleet = root.get("findings").get(1);
        assertThat(fleet.get("anomalous").asInt()).isEqualTo(7);
        assertThat(fleet.get("series").asInt()).isEqualTo(8);
        assertThat(fleet.get("until").asText()).isEqualTo(at(20).toString());
        assertThat(fleet.get("alert").asBoolean()).isTrue();
        assertThat(root.get("watched").get(1).get("told").asInt()).isEqualTo(4);
    }

    @Test
    void withoutFindingsAndWithoutDataItSaysSo() {
        Answer quiet = run("--from", at(2).toString(), "--to", at(5).toString());
        assertThat(quiet.status).isZero();
        assertThat(quiet.out).contains("Nothing was told, as alert or in shadow.");
        Answer nothing = run("--from", "-1m");
        assertThat(nothing.status).isEqualTo(1);
        assertThat(nothing.err).startsWith("no data: from ");
        Answer reversed = run("--from", "now", "--to", "-1h");
        assertThat(reversed.status).isEqualTo(2);
        assertThat(reversed.err).startsWith("--from, --to: must be in this order, found ");
    }

    private record Answer(int status, String out, String err) {}

    private Answer run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new AnomaliesCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        String[] all = new String[arguments.length + 1];
        all[0] = "--influxdb-url=" + requireNonNull(server).url();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int status = command.execute(all);
        return new Answer(status, out.toString(), err.toString());
    }

    private String finding(String name, int minute, String state, int since, int promoted, String fields) {
        return "anomaly_finding,view=v,finding=" + name + " state=\"" + state + "\"," + fields + "promoted=" + promoted
                + "i,starts_at_micros=" + micros(since) + "i " + micros(minute);
    }

    private String anomaly(String metric, String statistic, int minute, String state, int told) {
        return "anomaly,view=v,replica=r1,metric=" + metric + ",statistic=" + statistic + " state=\"" + state
                + "\",score=0.1,told=" + told + "i " + micros(minute);
    }

    private Instant at(int minute) {
        return start.plus(Duration.ofMinutes(minute));
    }

    private long micros(int minute) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at(minute));
    }
}
