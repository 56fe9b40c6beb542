package io.inferwatch.local.bench;

import io.inferwatch.analytics.nab.LabelledScores;
import io.inferwatch.analytics.nab.Profile;
import io.inferwatch.local.bench.NabCorpus.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes scores as the benchmark's own detectors do, {@code DIR/DETECTOR/CATEGORY/DETECTOR_FILE.csv}, so that its own scorer can be run on them. */
final class NabResults {
    private NabResults() {}

    static void write(Path directory, String detector, Series series, LabelledScores scored) throws IOException {
        Path file = directory
                .resolve(detector)
                .resolve(scored.category())
                .resolve(detector + "_"
                        + series.file().substring(scored.category().length() + 1));
        Files.createDirectories(file.getParent());
        List<String> lines = new ArrayList<>();
        lines.add("timestamp,value,anomaly_score,label,"
                + Profile.ALL.stream().map(profile -> "S(t)_" + profile.name()).collect(Collectors.joining(",")));
        for (int i = 0; i < scored.scores().length; i++) {
            int row = i;
            boolean isLabelled = scored.windows().stream().anyMatch(one -> row >= one.first() && row <= one.last());
            lines.add(series.times().get(row) + ","
                    + series.values().get(row) + ","
                    + scored.scores()[row] + ","
                    + (isLabelled ? 1 : 0) + ","
                    + Profile.ALL.stream()
                            .map(profile -> Double.toString(scored.worth(row, profile)))
                            .collect(Collectors.joining(",")));
        }
        Files.write(file, lines);
    }
}
