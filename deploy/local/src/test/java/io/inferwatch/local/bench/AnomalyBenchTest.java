package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command on a corpus of one made-up series: a sine of fifty rows, whose labelled window is a plateau of forty rows. */
class AnomalyBenchTest {
    private static final int ROWS = 2_000;
    private static final int FIRST = 1_500;
    private static final int LAST = 1_699;
    private static final String FILE = "realAWSCloudwatch/made_up.csv";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void theWindowIsFoundAndEveryRowIsWritten() throws IOException {
        corpus("labels");
        Path results = directory.resolve("results");

        assertThat(run(
                        "--nab",
                        directory.toString(),
                        "--results",
                        results.toString(),
                        "--forest",
                        "--series=1",
                        "--days=3"))
                .isZero();

        assertThat(out.toString().replaceAll(" +", " "))
                .contains(
                        "inferwatch: 1 series, 2000 rows, 1 windows",
                        "inferwatchWhole: 1 series, 2000 rows",
                        "randomCutForest: 1 series")
                .containsPattern("standard (8|9)\\d\\.\\d\\d 0\\.\\d{4}")
                .containsPattern("reward_low_FP_rate (8|9)\\d\\.")
                .containsPattern("reward_low_FN_rate (8|9)\\d\\.")
                .containsPattern("realAWSCloudwatch 1 (8|9)\\d\\.\\d\\d 1 1 \\d+ 1\\.00 1\\.00")
                .containsPattern("server metrics 1 (8|9)\\d")
                .containsPattern("us/window with state read and written, \\d+ bytes/series");
        List<String> rows = Files.readAllLines(results.resolve("inferwatch/realAWSCloudwatch/inferwatch_made_up.csv"));
        assertThat(rows).hasSize(ROWS + 1);
        assertThat(Files.readAllLines(results.resolve("inferwatchWhole/realAWSCloudwatch/inferwatchWhole_made_up.csv")))
                .hasSize(ROWS + 1);
        assertThat(results.resolve("randomCutForest/realAWSCloudwatch/randomCutForest_made_up.csv"))
                .exists();
        assertThat(rows.get(0))
                .isEqualTo(
                        "timestamp,value,anomaly_score,label,S(t)_standard,S(t)_reward_low_FP_rate,S(t)_reward_low_FN_rate");
        assertThat(rows.get(1)).startsWith(time(0) + ",10.0,0.0,0,0.0,0.0,0.0");
        assertThat(rows.get(1 + FIRST)).contains(",1,").endsWith(",1.0,1.0,1.0");
        assertThat(rows.get(1 + LAST + 1)).contains(",0,-0.00");
    }

    @Test
    void labelsMayLieBesideTheData() throws IOException {
        corpus(".");
        assertThat(run("--nab", directory.toString(), "--series=1", "--days=3")).isZero();
    }

    @Test
    void whatIsNoCorpusIsSaidToBeNone() throws IOException {
        assertThat(run("--nab", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("--nab: must be a directory with labels/combined_windows.json, found " + directory);

        corpus("labels");
        Files.writeString(
                directory.resolve("labels/combined_windows.json"),
                "{\"" + FILE + "\": [[\"1999-01-01 00:00:00.000000\", \"1999-01-02 00:00:00.000000\"]]}");
        err.getBuffer().setLength(0);
        assertThat(run("--nab", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(
                        "--nab: must be a directory whose labels are times of rows, found 1999-01-01 00:00:00.000000");

        Files.writeString(directory.resolve("data").resolve(FILE), "timestamp,value\n" + time(0) + ",much\n");
        err.getBuffer().setLength(0);
        assertThat(run("--nab", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("--nab: must be a directory whose rows are timestamp,value, found " + time(0) + ",much");

        Files.delete(directory.resolve("data").resolve(FILE));
        err.getBuffer().setLength(0);
        assertThat(run("--nab", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(
                        "--nab: must be a directory with data/CATEGORY/FILE.csv for some of the labels, found none");
    }

    private void corpus(String labels) throws IOException {
        List<String> rows = new ArrayList<>(List.of("timestamp,value"));
        for (int row = 0; row < ROWS; row++) {
            boolean isPlateau = row >= FIRST + 20 && row < FIRST + 60;
            rows.add(time(row) + "," + (isPlateau ? 25.0 : 10 + 5 * Math.sin(2 * Math.PI * row / 50)));
        }
        Path file = directory.resolve("data").resolve(FILE);
        Files.createDirectories(file.getParent());
        Files.write(file, rows);
        Path windows = directory.resolve(labels).resolve("combined_windows.json");
        Files.createDirectories(windows.getParent());
        Files.writeString(
                windows,
                "{\"" + FILE + "\": [[\"" + time(FIRST) + ".000000\", \"" + time(LAST)
                        + ".000000\"]], \"realTweets/not_here.csv\": []}");
    }

    private static String time(int row) {
        return LocalDateTime.of(2014, 2, 14, 0, 0)
                .plusMinutes(5L * row)
                .format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT));
    }

    private int run(String... arguments) {
        CommandLine command = new CommandLine(new BenchCommand());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of("anomaly"));
        all.addAll(List.of(arguments));
        return command.execute(all.toArray(new String[0]));
    }
}
