package io.inferwatch.influx;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.influx.InfluxWriter.BatchReport;
import io.inferwatch.influx.InfluxWriter.Refusal;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.TestServers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Writer, reader and setup against a real server before 1.8. */
class InfluxIT {
    /** A time that no retention policy has forgotten. */
    private final long nowMicros = Instant.now().getEpochSecond() * 1_000_000;

    private static @Nullable InfluxServer server;
    private static @Nullable InfluxClient client;

    @TempDir
    private Path directory = Path.of("");

    @BeforeAll
    static void startServer() {
        Availability<InfluxProgram> influx = TestServers.influx();
        assumeTrue(influx.isFound(), influx.reason());
        server = InfluxServer.start(influx.get(), InfluxServer.Options.temporary());
        client = InfluxClient.open(InfluxConnection.of(server.url()));
        new InfluxSetup(client).run();
    }

    @AfterAll
    static void stopServer() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void textsComeBackAsTheyWereWritten() {
        SplittableRandom random = new SplittableRandom(7);
        Map<Long, String[]> expected = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            // The tag's last character is no backslash: that one is replaced on purpose.
            String tag = PointBuilderTest.randomText(random).replaceAll("[\n\t]", " ") + "x";
            String text = PointBuilderTest.randomText(random);
            expected.put(nowMicros + i, new String[] {tag, text});
            lines.add(PointBuilder.of("roundtrip")
                    .tag("k", tag)
                    .tag("z", "last")
                    .text("s", text)
                    .real("r", i)
                    .integer("n", Long.MAX_VALUE - i)
                    .line(nowMicros + i)
                    .orElseThrow());
        }

        assertThat(writer().write("r1m", lines)).isEqualTo(written());

        List<InfluxSeries> series = reader().query(RetentionPolicy.R1M, "SELECT s, r, n FROM roundtrip GROUP BY *");
        int rows = 0;
        for (InfluxSeries one : series) {
            assertThat(one.tags()).containsEntry("z", "last").containsOnlyKeys("k", "z");
            for (InfluxRow row : one.rows()) {
                long i = row.timeMicros() - nowMicros;
                String[] texts = requireNonNull(expected.get(row.timeMicros()));
                assertThat(one.tags()).containsEntry("k", texts[0]);
                assertThat(row.text("s")).hasValue(texts[1]);
                assertThat(row.real("r")).hasValue((double) i);
                assertThat(row.integer("n")).hasValue(Long.MAX_VALUE - i);
                rows++;
            }
        }
        assertThat(rows).isEqualTo(400);
    }

    @Test
    void aTrailingBackslashSpoilsNoOtherTag() {
        String line = PointBuilder.of("backslash")
                .tag("path", "C:\\models\\")
                .tag("model", "m")
                .real("v", 1)
                .line(nowMicros)
                .orElseThrow();

        assertThat(writer().write("r1m", List.of(line))).isEqualTo(written());

        assertThat(reader().query(RetentionPolicy.R1M, "SELECT v FROM backslash GROUP BY *")
                        .get(0)
                        .tags())
                .containsOnly(entry("path", "C:\\models/"), entry("model", "m"));
    }

    @Test
    void theSameSeriesAndTimeIsOnePoint() {
        assertThat(writer().write(
                                "r1m",
                                List.of(
                                        "events,loc=Mars n=600i " + nowMicros,
                                        "events,loc=Mars n=700i " + nowMicros,
                                        "events,loc=Mars m=1i " + nowMicros)))
                .isEqualTo(written());

        List<InfluxSeries> series = reader().query(RetentionPolicy.R1M, "SELECT n, m FROM events");
        assertThat(series).hasSize(1);
        assertThat(series.get(0).rows()).hasSize(1);
        assertThat(series.get(0).rows().get(0).integer("n")).hasValue(700);
        assertThat(series.get(0).rows().get(0).integer("m")).hasValue(1);
    }

    @Test
    void ofABatchWithConflictsExactlyThoseAreRefused() {
        assertThat(writer().write("r1m", List.of("usg,h=a temp_cpu=41.5 " + nowMicros)))
                .isEqualTo(written());
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            boolean wrong = i == 3 || i == 64;
            lines.add("usg,h=b temp_cpu=" + (wrong ? "42i " : "42.0 ") + (nowMicros + i));
        }

        BatchReport report = writer().write("r1m", lines);

        assertThat(report.unsent()).isEmpty();
        assertThat(report.refused()).extracting(Refusal::index).containsExactly(3, 64);
        assertThat(report.refused())
                .allSatisfy(refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.FIELD_TYPE_CONFLICT))
                .allSatisfy(refusal -> assertThat(refusal.message()).contains("input field \"temp_cpu\""));
        assertThat(count("usg", "temp_cpu", "h = 'b'")).isEqualTo(98);
    }

    @Test
    void aLineThatCannotBeReadCostsNoOther() {
        List<String> lines = List.of("parse v=1 " + nowMicros, "parse v= 1", "parse v=2 " + (nowMicros + 1));

        BatchReport report = writer().write("r1m", lines);

        assertThat(report.refused()).extracting(Refusal::index).containsExactly(1);
        assertThat(report.refused().get(0).reason()).isEqualTo(RefusalReason.UNPARSABLE);
        assertThat(count("parse", "v", "h = ''")).isEqualTo(2);
    }

    @Test
    void aBatchOfUnreadableLinesIsRefusedAsAWhole() {
        BatchReport report = writer().write("r1m", List.of("x", "y", "z"));

        assertThat(report.refused()).extracting(Refusal::index).containsExactly(0, 1, 2);
        assertThat(report.obstacle()).isEmpty();
    }

    @Test
    void pointsBeyondRetentionAreRefusedAndNamed() {
        long old = nowMicros - 40L * 24 * 3600 * 1_000_000;

        BatchReport report = writer().write(
                        "r1m", List.of("aged v=1 " + nowMicros, "aged v=1 " + old, "aged v=2 " + (nowMicros + 1)));

        assertThat(report.refused())
                .singleElement()
                .satisfies(refusal -> assertThat(refusal.index()).isEqualTo(1))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(RefusalReason.BEYOND_RETENTION));
        assertThat(count("aged", "v", "h = ''")).isEqualTo(2);
    }

    @Test
    void aMissingDatabaseOrPolicyIsFatalAndSaysWhatToDo() {
        try (InfluxClient other =
                InfluxClient.open(new InfluxConnection(running().url(), "nowhere", "o", new Credentials.None()))) {
            assertThat(new InfluxWriter(other).write("r1m", List.of("m v=1 1")).obstacle())
                    .hasValueSatisfying(obstacle -> assertThat(obstacle)
                            .isEqualTo(new WriteAnswer.Fatal("HTTP 404: database not found: \"nowhere\"; create it with"
                                    + " 'inferwatch setup influxdb'")));
        }
        assertThat(writer().write("r5m", List.of("m v=1 1")).obstacle())
                .hasValueSatisfying(obstacle -> assertThat(obstacle)
                        .isInstanceOf(WriteAnswer.Fatal.class)
                        .asString()
                        .contains("retention policy not found: r5m", "inferwatch setup influxdb"));
    }

    @Test
    void setupIsIdempotentAndSaysWhatDiffers() {
        try (InfluxClient other =
                InfluxClient.open(new InfluxConnection(running().url(), "twice", "o", new Credentials.None()))) {
            InfluxSetup setup = new InfluxSetup(other);

            assertThat(setup.run())
                    .allSatisfy(step -> assertThat(step.change()).isEqualTo(InfluxSetup.Change.MADE))
                    .extracting(InfluxSetup.Step::thing)
                    .containsExactly(
                            "database twice",
                            "retention policy r1m",
                            "retention policy r10s",
                            "retention policy r1h",
                            "retention policy runs");
            assertThat(setup.run()).hasSize(5).allSatisfy(step -> assertThat(step.change())
                    .isEqualTo(InfluxSetup.Change.WAS_THERE));

            InfluxReader reader = new InfluxReader(other);
            List<String> policies = reader.query("SHOW RETENTION POLICIES ON twice").get(0).rows().stream()
                    .map(row -> row.text("name").orElse("") + " "
                            + row.text("duration").orElse("") + " "
                            + row.text("shardGroupDuration").orElse(""))
                    .toList();
            assertThat(policies)
                    .containsExactlyInAnyOrder(
                            "r1m 720h0m0s 24h0m0s",
                            "r10s 168h0m0s 24h0m0s",
                            "r1h 17472h0m0s 672h0m0s",
                            "runs 720h0m0s 24h0m0s");

            reader.query("ALTER RETENTION POLICY r1h ON twice DURATION 30d SHARD DURATION 7d");
            assertThat(setup.run())
                    .contains(new InfluxSetup.Step(
                            InfluxSetup.Change.DIFFERS,
                            "retention policy r1h",
                            "keeps 30 d in shards of 7 d, not 728 d in shards of 28 d"));
        }
    }

    @Test
    void theCommandTellsWhatItMade() {
        StringWriter out = new StringWriter();
        CommandLine command = new CommandLine(new SetupInfluxdbCommand());
        command.setOut(new PrintWriter(out, true));

        assertThat(command.execute("--influxdb-url=" + running().url(), "--influxdb-database=shown"))
                .isZero();
        assertThat(out.toString())
                .contains("InfluxDB 1.", "made       database shown", "made       retention policy r10s: keeps 7 d");
        out.getBuffer().setLength(0);
        assertThat(command.execute("--influxdb-url=" + running().url(), "--influxdb-database=shown"))
                .isZero();
        assertThat(out.toString()).contains("was there  database shown").doesNotContain("made ");
    }

    @Test
    void credentialsAreNeededWhereTheServerAsksForThem() throws IOException {
        Path right = Files.writeString(directory.resolve("right"), "it's a \"secret\"\n");
        Path wrong = Files.writeString(directory.resolve("wrong"), "hush-hush\n");
        try (InfluxServer closed = InfluxServer.start(
                TestServers.influx().get(), InfluxServer.Options.temporary().withAdmin("root", "it's a \"secret\""))) {
            InfluxConnection connection = new InfluxConnection(
                    closed.url(), "d", "o", new Credentials.UserPassword("root", Secret.inFile(right)));
            try (InfluxClient admitted = InfluxClient.open(connection)) {
                new InfluxSetup(admitted).run();
                assertThat(new InfluxWriter(admitted).write("r1m", List.of("m v=1 " + nowMicros)))
                        .isEqualTo(written());
                assertThat(new InfluxReader(admitted).query(RetentionPolicy.R1M, "SELECT v FROM m"))
                        .hasSize(1);
            }
            InfluxConnection refused = new InfluxConnection(
                    closed.url(), "d", "o", new Credentials.UserPassword("root", Secret.inFile(wrong)));
            try (InfluxClient stranger = InfluxClient.open(refused)) {
                assertThat(new InfluxWriter(stranger)
                                .write("r1m", List.of("m v=1 1"))
                                .obstacle())
                        .hasValueSatisfying(obstacle -> assertThat(obstacle)
                                .isInstanceOf(WriteAnswer.Fatal.class)
                                .asString()
                                .contains("HTTP 401", "check the credentials")
                                .doesNotContain("hush-hush"));
                assertThatThrownBy(() -> new InfluxReader(stranger).query(RetentionPolicy.R1M, "SELECT v FROM m"))
                        .isInstanceOf(InfluxConfigurationException.class)
                        .hasMessageContaining("does not let user root in")
                        .hasMessageNotContaining("hush-hush");
            }
            StringWriter err = new StringWriter();
            CommandLine command = new CommandLine(new SetupInfluxdbCommand());
            command.setErr(new PrintWriter(err, true));
            assertThat(command.execute(
                            "--influxdb-url=" + closed.url(),
                            "--influxdb-user=root",
                            "--influxdb-password-file=" + wrong))
                    .isEqualTo(2);
            assertThat(err.toString().lines()).hasSize(1).first().asString().contains("does not let user root in");
        }
    }

    @Test
    void aQueryThatTheServerRefusesShowsItsText() {
        assertThatThrownBy(() -> reader().query(RetentionPolicy.R1M, "SELEKT 1"))
                .isInstanceOf(InfluxQueryException.class)
                .hasMessageContaining("error parsing query: found SELEKT");
        assertThatThrownBy(() -> reader().query("SHOW RETENTION POLICIES ON nowhere"))
                .isInstanceOf(InfluxQueryException.class)
                .hasMessageContaining("database not found: nowhere");
    }

    @Test
    void anAwayServerCanBeTriedAgain() {
        InfluxServer away = InfluxServer.start(TestServers.influx().get(), InfluxServer.Options.temporary());
        try (away;
                InfluxClient other = InfluxClient.open(InfluxConnection.of(away.url()))) {
            new InfluxSetup(other).run();
            InfluxWriter writer = new InfluxWriter(other);
            List<String> lines = List.of("m v=1 " + nowMicros, "m v=2 " + (nowMicros + 1));
            away.stop();

            BatchReport report = writer.write("r1m", lines);
            assertThat(report.unsent()).containsExactly(0, 1);
            assertThat(report.obstacle()).containsInstanceOf(WriteAnswer.Retryable.class);

            away.restart();
            assertThat(writer.write("r1m", lines)).isEqualTo(written());
        }
    }

    private static long count(String measurement, String field, String where) {
        return reader()
                .query(RetentionPolicy.R1M, "SELECT count(" + field + ") AS n FROM " + measurement + " WHERE " + where)
                .stream()
                .mapToLong(series -> series.rows().get(0).integer("n").orElse(0))
                .sum();
    }

    private static BatchReport written() {
        return new BatchReport(List.of(), List.of(), Optional.empty());
    }

    private static InfluxWriter writer() {
        return new InfluxWriter(opened());
    }

    private static InfluxReader reader() {
        return new InfluxReader(opened());
    }

    private static InfluxClient opened() {
        if (client == null) {
            throw new IllegalStateException("no client");
        }
        return client;
    }

    private static InfluxServer running() {
        if (server == null) {
            throw new IllegalStateException("no server");
        }
        return server;
    }
}
