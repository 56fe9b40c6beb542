package io.inferwatch.local.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Histories of benchmarks as a directory holds them, all of its parts or some: {@code azure_vm_noise} and {@code rocksdb_ci}, in which no software changed; {@code tcpd}, series with the marks of several people; and
 * {@code mozilla_talos}, {@code tigerbeetle}, {@code chromium_find_anomalies}, {@code mongodb_signal_processing}, with the changes that their projects' own tests expect.
 *
 * @param azure runs on rented machines, without change
 * @param shifted the same where the machine changed, not the software
 * @param rocksdb one version's benchmarks, without change
 * @param marked series that people have marked
 * @param labelled series with expected changes
 */
record RegressionCorpus(
        List<Series> azure, List<Series> shifted, List<Series> rocksdb, List<Marked> marked, List<Labelled> labelled) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A series. */
    record Series(String name, double[] values) {
        boolean varies() {
            return Arrays.stream(values).distinct().count() > 1;
        }
    }

    /** A series, and where each of several people saw a level begin. */
    record Marked(Series series, List<List<Integer>> marks) {}

    /**
     * A series, and what is expected of it.
     *
     * @param from first row of each expected change
     * @param to last row of each expected change
     * @param optional rows of changes that count neither as missed nor as too many
     */
    record Labelled(String set, Series series, List<Integer> from, List<Integer> to, List<Integer> optional) {}

    /**
     * Reads the parts that are there.
     *
     * @throws IllegalArgumentException where there are none, or one cannot be read
     */
    static RegressionCorpus read(Path directory) throws IOException {
        List<Series> azure = new ArrayList<>();
        List<Series> shifted = new ArrayList<>();
        for (Path file : files(directory.resolve("azure_vm_noise"), ".csv")) {
            Series series = column(file, "value");
            (series.name.startsWith("infra_shift") ? shifted : azure).add(series);
        }
        List<Series> rocksdb = new ArrayList<>();
        for (Path file : files(directory.resolve("rocksdb_ci"), ".csv")) {
            List<String> names = header(file);
            for (String name : names.subList(names.indexOf("version") + 1, names.size())) {
                rocksdb.add(column(file, name));
            }
        }
        rocksdb.removeIf(series -> !series.varies());
        List<Labelled> labelled = new ArrayList<>();
        labelled.addAll(talos(directory.resolve("mozilla_talos")));
        labelled.addAll(tigerBeetle(directory.resolve("tigerbeetle")));
        labelled.addAll(chromium(directory.resolve("chromium_find_anomalies")));
        labelled.addAll(mongo(directory.resolve("mongodb_signal_processing")));
        RegressionCorpus corpus =
                new RegressionCorpus(azure, shifted, rocksdb, marked(directory.resolve("tcpd")), labelled);
        if (Stream.of(azure, rocksdb, corpus.marked, labelled).allMatch(List::isEmpty)) {
            throw problem("with azure_vm_noise, rocksdb_ci, tcpd or one of the labelled sets", "none in " + directory);
        }
        return corpus;
    }

    private static List<Labelled> talos(Path directory) throws IOException {
        List<Labelled> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : labels(directory).entrySet()) {
            String file = entry.getKey().substring(entry.getKey().indexOf('/') + 1);
            List<Integer> rows = integers(entry.getValue().path("rows"));
            all.add(new Labelled("Talos", column(directory.resolve(file), "value"), rows, rows, List.of()));
        }
        return all;
    }

    private static List<Labelled> tigerBeetle(Path directory) throws IOException {
        JsonNode labels = labels(directory).getOrDefault("strong_changes", JSON.nullNode());
        if (labels.isNull()) {
            return List.of();
        }
        List<Integer> rows = new ArrayList<>();
        labels.forEach(change -> rows.add(change.path("index").asInt()));
        List<Integer> weak =
                integers(labels(directory).getOrDefault("weaker_changes_seen_at_low_thresholds", JSON.nullNode()));
        return List.of(new Labelled(
                "TigerBeetle",
                column(directory.resolve("tigerbeetle_2023.csv"), "load_accepted_tx_per_s"),
                rows,
                rows,
                weak));
    }

    private static List<Labelled> chromium(Path directory) throws IOException {
        List<Labelled> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : labels(directory).entrySet()) {
            Path file = directory.resolve(entry.getKey());
            double[] revisions = column(file, "revision").values;
            List<Integer> from = new ArrayList<>();
            List<Integer> to = new ArrayList<>();
            for (JsonNode anomaly : entry.getValue().path("anomalies")) {
                from.add(row(revisions, anomaly.path("start_revision").asDouble()));
                to.add(row(revisions, anomaly.path("end_revision").asDouble()));
            }
            all.add(new Labelled("Chromium", column(file, "value"), from, to, List.of()));
        }
        return all;
    }

    /** Outliers, but no change, in the one of its series of which so much is expected. */
    private static List<Labelled> mongo(Path directory) throws IOException {
        Path file = directory.resolve("real_series.csv");
        return Files.isRegularFile(file)
                ? List.of(new Labelled("MongoDB", column(file, "value"), List.of(), List.of(), List.of()))
                : List.of();
    }

    /** The first row of that revision or a later one. */
    private static int row(double[] revisions, double revision) {
        int row = 0;
        while (row < revisions.length - 1 && revisions[row] < revision) {
            row++;
        }
        return row;
    }

    private static List<Marked> marked(Path directory) throws IOException {
        List<Marked> all = new ArrayList<>();
        Map<String, JsonNode> annotations = new TreeMap<>();
        Path file = directory.resolve("annotations.json");
        if (Files.isRegularFile(file)) {
            JSON.readTree(Files.readString(file))
                    .properties()
                    .forEach(entry -> annotations.put(entry.getKey(), entry.getValue()));
        }
        for (Map.Entry<String, JsonNode> entry : annotations.entrySet()) {
            Path series = directory.resolve(entry.getKey() + ".json");
            if (Files.isRegularFile(series)) {
                List<List<Integer>> marks = new ArrayList<>();
                entry.getValue().forEach(person -> marks.add(integers(person)));
                JsonNode raw = JSON.readTree(Files.readString(series))
                        .path("series")
                        .path(0)
                        .path("raw");
                all.add(new Marked(new Series(entry.getKey(), numbers(raw)), marks));
            }
        }
        return all;
    }

    /** A gap is filled with the value before it, so that rows keep their places. */
    private static double[] numbers(JsonNode raw) {
        double[] values = new double[raw.size()];
        double last = 0;
        for (int i = 0; i < values.length; i++) {
            last = raw.get(i).isNull() ? last : raw.get(i).asDouble();
            values[i] = last;
        }
        return values;
    }

    private static Map<String, JsonNode> labels(Path directory) throws IOException {
        Map<String, JsonNode> labels = new TreeMap<>();
        Path file = directory.resolve("labels.json");
        if (Files.isRegularFile(file)) {
            JSON.readTree(Files.readString(file))
                    .properties()
                    .forEach(entry -> labels.put(entry.getKey(), entry.getValue()));
        }
        return labels;
    }

    private static List<Integer> integers(JsonNode array) {
        List<Integer> integers = new ArrayList<>();
        array.forEach(number -> integers.add(number.asInt()));
        return integers;
    }

    private static List<Path> files(Path directory, String suffix) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> header(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return lines.isEmpty() ? List.of() : Arrays.asList(lines.get(0).split(",", -1));
    }

    private static Series column(Path file, String name) throws IOException {
        int column = header(file).indexOf(name);
        if (column < 0) {
            throw problem(
                    "whose " + file.getFileName() + " has a column " + name,
                    header(file).toString());
        }
        List<String> lines = Files.readAllLines(file);
        double[] values = new double[lines.size() - 1];
        for (int row = 0; row < values.length; row++) {
            String[] cells = lines.get(row + 1).split(",", -1);
            try {
                values[row] = Double.parseDouble(cells[Math.min(column, cells.length - 1)]);
            } catch (NumberFormatException e) {
                throw problem("of numbers in column " + name, lines.get(row + 1) + " in " + file);
            }
        }
        String fileName = String.valueOf(file.getFileName());
        String series = fileName.substring(0, fileName.length() - ".csv".length());
        return new Series(name.equals("value") ? series : series + "/" + name, values);
    }

    private static IllegalArgumentException problem(String what, String found) {
        return new IllegalArgumentException("--series: must be a directory " + what + ", found " + found);
    }
}
