package io.inferwatch.local.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.nab.LabelledScores.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The series of the Numenta Anomaly Benchmark that a directory holds, all or some of them, with their labels: {@code data/CATEGORY/FILE.csv} of {@code timestamp,value}, and
 * {@code labels/combined_windows.json}, or the same beside {@code data}. A label's times are rows' times; where several rows have the time, the first is meant.
 */
final class NabCorpus {
    private static final List<String> LABELS = List.of("labels/combined_windows.json", "combined_windows.json");
    private static final int SECONDS = "2014-02-14 14:30:00".length();

    private NabCorpus() {}

    /**
     * A series.
     *
     * @param file {@code CATEGORY/FILE.csv}
     * @param times as they stand there
     * @param values as they stand there
     */
    record Series(String file, List<String> times, List<String> values, List<Window> windows) {
        /** The values. */
        double[] numbers() {
            return values.stream().mapToDouble(Double::parseDouble).toArray();
        }
    }

    /**
     * Reads every series that is there and has labels, in order of their names.
     *
     * @throws IllegalArgumentException where there are none, or what is there cannot be read
     */
    static List<Series> read(Path directory) throws IOException {
        Path labels = LABELS.stream()
                .map(directory::resolve)
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> problem("with " + LABELS.get(0), directory.toString()));
        Map<String, JsonNode> files = new TreeMap<>();
        new ObjectMapper()
                .readTree(Files.readString(labels))
                .properties()
                .forEach(entry -> files.put(entry.getKey(), entry.getValue()));
        List<Series> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : files.entrySet()) {
            Path file = directory.resolve("data").resolve(entry.getKey());
            if (Files.isRegularFile(file)) {
                all.add(read(entry.getKey(), file, entry.getValue()));
            }
        }
        if (all.isEmpty()) {
            throw problem("with data/CATEGORY/FILE.csv for some of the labels", "none in " + directory);
        }
        return all;
    }

    private static IllegalArgumentException problem(String what, String found) {
        return new IllegalArgumentException("--nab: must be a directory " + what + ", found " + found);
    }

    private static Series read(String name, Path file, JsonNode labels) throws IOException {
        List<String> times = new ArrayList<>();
        List<String> values = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            int comma = line.indexOf(',');
            if (comma < 0 || !isNumber(line.substring(comma + 1))) {
                throw problem("whose rows are timestamp,value", line + " in " + file);
            }
            times.add(line.substring(0, comma));
            values.add(line.substring(comma + 1).strip());
        }
        List<Window> windows = new ArrayList<>();
        for (JsonNode label : labels) {
            windows.add(new Window(row(label.path(0), times, file), row(label.path(1), times, file)));
        }
        return new Series(name, times, values, windows);
    }

    private static boolean isNumber(String text) {
        try {
            return Double.isFinite(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static int row(JsonNode time, List<String> times, Path file) {
        String text = time.asText();
        int row = times.indexOf(text.substring(0, Math.min(SECONDS, text.length())));
        if (row < 0) {
            throw problem("whose labels are times of rows", text + ", which no row of " + file + " has");
        }
        return row;
    }
}
