package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Three loads on a simulated server as they are typed, which come to each of the verdicts whatever the machine does meanwhile: no server answers within a millisecond, and any does within an hour.
 *
 * @param printed what each run printed, by its name
 * @param written the file that each run wrote, by its name
 */
record LoadedRuns(Map<String, String> printed, Map<String, JsonNode> written) {
    /** Runs them, publishing to a broker. */
    static LoadedRuns publish(String bootstrapServers, Path data) throws IOException {
        Map<String, String> printed = new TreeMap<>();
        Map<String, JsonNode> written = new TreeMap<>();
        try (SimulationServer server = SimulationServer.start(SimulationSettings.of(ServerSpec.usual(1, 9)))) {
            Map<String, List<String>> loads = Map.of(
                    "run-within", List.of("--stages=400:1s", "--p99-limit=1h"),
                    "run-over",
                            List.of(
                                    "--stages=400:1s,500:1s",
                                    "--p99-limit=1ms",
                                    "--p99-breaker=1h",
                                    "--p99-from-rate=450"),
                    "run-cut", List.of("--stages=400:60s", "--p99-limit=1ms"));
            for (Map.Entry<String, List<String>> load : new TreeMap<>(loads).entrySet()) {
                Path result = data.resolve(load.getKey() + ".json");
                List<String> arguments = new ArrayList<>(List.of(
                        "load",
                        "--url=" + server.url(),
                        "--arrivals=constant",
                        "--lengths=fixed:16",
                        "--answers=fixed:1",
                        "--max-lag=1h",
                        "--run=" + load.getKey(),
                        "--output-file=" + result,
                        "--bootstrap-servers=" + bootstrapServers));
                arguments.addAll(load.getValue());
                StringWriter out = new StringWriter();
                int status = InferwatchCommand.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .execute(arguments.toArray(new String[0]));
                assertThat(status).as(out.toString()).isEqualTo(load.getKey().equals("run-within") ? 0 : 1);
                printed.put(load.getKey(), out.toString());
                written.put(load.getKey(), new ObjectMapper().readTree(result.toFile()));
            }
        }
        return new LoadedRuns(printed, written);
    }

    /** Each step and its verdict, as the run's file has it, in the order of names. */
    List<String> verdicts() {
        List<String> verdicts = new ArrayList<>();
        written.forEach((run, file) -> file.path("steps")
                .forEach(step -> verdicts.add(run + " " + step.path("step").asInt() + " "
                        + step.path("verdict").asText())));
        return verdicts;
    }

    /** What differs between the points of the steps and what was written and printed; a step without exactly one point is a difference. */
    List<String> differences(InfluxReader reader) {
        List<String> differences = new ArrayList<>();
        written.forEach((run, file) -> {
            for (JsonNode step : file.path("steps")) {
                int number = step.path("step").asInt();
                String where = "WHERE run = '" + run + "' AND step = '" + number + "'";
                List<InfluxRow> points = reader.query(RetentionPolicy.RUNS, "SELECT * FROM load_step " + where).stream()
                        .flatMap(series -> series.rows().stream())
                        .toList();
                String expected = text(
                        step.path("verdict").asText(),
                        step.path("requests").asLong(),
                        step.path("failed").asLong(),
                        step.path("p99_micros").isNull()
                                ? -1
                                : step.path("p99_micros").asDouble() / 1e6);
                List<String> found = points.stream().map(LoadedRuns::text).toList();
                if (!found.equals(List.of(expected))) {
                    differences.add(where + ": must be " + expected + ", found " + found);
                }
                Pattern line = Pattern.compile(" %d +%.1f .* %s"
                        .formatted(
                                number,
                                step.path("asked_per_second").asDouble(),
                                step.path("verdict").asText()));
                if (!line.matcher(printed.getOrDefault(run, "")).find()) {
                    differences.add(where + ": must be printed as " + line + ", found " + printed.get(run));
                }
            }
        });
        return differences;
    }

    private static String text(InfluxRow point) {
        return text(
                point.text("verdict").orElse("none"),
                point.integer("n").orElse(-1),
                point.integer("failed").orElse(-1),
                point.real("p99_seconds").orElse(-1));
    }

    private static String text(String verdict, long requests, long failed, double p99Seconds) {
        return String.format(Locale.ROOT, "%s of %d, %d failed, P99 %.6f s", verdict, requests, failed, p99Seconds);
    }
}
