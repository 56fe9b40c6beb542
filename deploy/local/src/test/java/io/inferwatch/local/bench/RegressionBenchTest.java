package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command on made-up histories with noise of 1 %: controls without a change, marked and labelled series with steps of 20 % at known rows. */
class RegressionBenchTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void changesAreCountedWhereTheyAreAndWhereTheyAreNot() throws IOException {
        corpus();

        assertThat(run("--series", directory.toString(), "--nightly")).isZero();

        assertThat(out.toString().replaceAll(" +", " "))
                .contains(
                        "1 series of rented machines (210 runs) and 1 of one RocksDB version (60 runs); 1 marked by people")
                // No change in the controls, all of the steps in three slices, both marks, in either's measures.
                .containsPattern(
                        "\ninferwatch, 3 % 0\\.00 0\\.00 1\\.00 1\\.00 1\\.00 1\\.00 1\\.00 1\\.00 1\\.000 1\\.000 ")
                .containsPattern(
                        "\nnever a change 0\\.00 0\\.00 0\\.00 0\\.00 0\\.00 0\\.00 0\\.00 0\\.00 0\\.\\d{3} 0\\.\\d{3} ")
                .contains("machine changed, infra_shift_a: inferwatch [50]")
                // TigerBeetle's second step is no more than optional there, Talos' one label is at the wrong place.
                .contains("Chromium (1) MongoDB (0) Talos (1) TigerBeetle (1)")
                .contains("\ninferwatch, 3 % 1 + 0 0 + 0 0 + 1 1 + 0")
                .contains(
                        "night by night, rented machines, any change: 0.00 incidents per 1,000 runs, 0.00 of them withdrawn");
    }

    @Test
    void whatIsNoCorpusIsSaidToBeNone() throws IOException {
        assertThat(run("--series", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(
                        "--series: must be a directory with azure_vm_noise, rocksdb_ci, tcpd or one of the labelled sets, found none in "
                                + directory);

        write("azure_vm_noise/a.csv", "starttime_utc,value\nthen,much\n");
        err.getBuffer().setLength(0);
        assertThat(run("--series", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("--series: must be a directory of numbers in column value, found then,much");

        write("azure_vm_noise/a.csv", "starttime_utc,seconds\nthen,1\n");
        err.getBuffer().setLength(0);
        assertThat(run("--series", directory.toString())).isEqualTo(2);
        assertThat(err.toString())
                .startsWith(
                        "--series: must be a directory whose a.csv has a column value, found [starttime_utc, seconds]");
    }

    private void corpus() throws IOException {
        write("azure_vm_noise/low_noise_a.csv", csv("starttime_utc,value", series(210, 1)));
        write("azure_vm_noise/infra_shift_a.csv", csv("starttime_utc,value", series(100, 2, 50)));
        write(
                "rocksdb_ci/a.csv",
                "epoch_s,version,ops_sec,stalls\n"
                        + series(60, 3).stream()
                                .map(value -> "1,8.7.0," + value + ",0\n")
                                .collect(Collectors.joining()));
        write("tcpd/annotations.json", "{\"a\": {\"6\": [30, 70], \"7\": [30, 70]}, \"not_here\": {\"6\": []}}");
        List<String> values = new ArrayList<>(series(100, 4, 30, 70));
        values.set(1, "null");
        write("tcpd/a.json", "{\"series\": [{\"raw\": [" + String.join(",", values) + "]}]}");
        write("mozilla_talos/labels.json", "{\"mozilla_talos/a.csv\": {\"rows\": [20]}}");
        write("mozilla_talos/a.csv", csv("push_epoch_s,value", series(80, 5, 50)));
        write(
                "tigerbeetle/labels.json",
                "{\"strong_changes\": [{\"index\": 30}], \"weaker_changes_seen_at_low_thresholds\": [70]}");
        write("tigerbeetle/tigerbeetle_2023.csv", csv("epoch_s,load_accepted_tx_per_s", series(100, 6, 30, 70)));
        write(
                "chromium_find_anomalies/labels.json",
                "{\"a.csv\": {\"anomalies\": [{\"start_revision\": 35, \"end_revision\": 41}]}}");
        write(
                "chromium_find_anomalies/a.csv",
                "revision,value\n"
                        + IntStream.range(0, 60)
                                .mapToObj(i -> i + "," + series(60, 7, 40).get(i) + "\n")
                                .collect(Collectors.joining()));
        write("mongodb_signal_processing/real_series.csv", csv("index,value", series(60, 8)));
    }

    private static List<String> series(int n, int seed, int... steps) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, n)
                .mapToObj(i -> {
                    double level = 100;
                    for (int step : steps) {
                        level *= i < step ? 1 : 1.2;
                    }
                    return Double.toString(level * (1 + 0.01 * random.nextGaussian()));
                })
                .toList();
    }

    private static String csv(String header, List<String> values) {
        return header + "\n" + values.stream().map(value -> "x," + value + "\n").collect(Collectors.joining());
    }

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private int run(String... arguments) {
        CommandLine command = new CommandLine(new BenchCommand());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of("regression"));
        all.addAll(List.of(arguments));
        return command.execute(all.toArray(new String[0]));
    }
}
