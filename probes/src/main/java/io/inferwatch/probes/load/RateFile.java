package io.inferwatch.probes.load;

import io.inferwatch.analytics.schedule.Gaps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Rates of one client of ServeGen: a line for each window with its begin in seconds, requests a second, variation of gaps, family of gaps (Gamma, Weibull, or empty for silence) and the family's shape and scale. There
 * is no header. The last window is as long as the one before it.
 */
final class RateFile {
    private static final int COLUMNS = 6;
    private static final double USUAL_SECONDS = 600;

    private RateFile() {}

    private record Window(double beginSeconds, Optional<Gaps> gaps) {}

    /**
     * The windows as steps, that many times faster than recorded.
     *
     * @throws IllegalArgumentException when the file is not one
     */
    static List<RateWorkload.Step> read(Path file, double speedup) {
        List<Window> windows = new ArrayList<>();
        try {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (!lines.get(i).isBlank()) {
                    windows.add(window(file, i + 1, lines.get(i), speedup));
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": must be a readable file, found " + e);
        }
        if (windows.isEmpty()) {
            throw new IllegalArgumentException(file + ": must hold windows, found none");
        }
        List<RateWorkload.Step> steps = new ArrayList<>();
        double seconds = USUAL_SECONDS;
        for (int i = 0; i < windows.size(); i++) {
            if (i + 1 < windows.size()) {
                seconds = windows.get(i + 1).beginSeconds() - windows.get(i).beginSeconds();
                if (!(seconds > 0)) {
                    throw new IllegalArgumentException(
                            file + ", line " + (i + 2) + ": must begin after the line before, found "
                                    + windows.get(i + 1).beginSeconds() + " s");
                }
            }
            steps.add(new RateWorkload.Step(
                    windows.get(i).gaps(), (long) (seconds / speedup * TimeUnit.SECONDS.toNanos(1))));
        }
        return steps;
    }

    private static Window window(Path file, int number, String line, double speedup) {
        String[] cells = line.split(",", -1);
        try {
            if (cells.length == COLUMNS) {
                double begin = Double.parseDouble(cells[0]);
                Optional<Gaps> gaps =
                        switch (cells[3]) {
                            case "" -> Optional.empty();
                            case "Gamma" ->
                                Optional.of(new Gaps.Gamma(
                                        Double.parseDouble(cells[4]), Double.parseDouble(cells[5]) / speedup));
                            case "Weibull" ->
                                Optional.of(new Gaps.Weibull(
                                        Double.parseDouble(cells[4]), Double.parseDouble(cells[5]) / speedup));
                            default -> throw new NumberFormatException("family");
                        };
                return new Window(begin, gaps);
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new IllegalArgumentException(file + ", line " + number
                + ": must be BEGIN,RATE,VARIATION,Gamma|Weibull|,SHAPE,SCALE, found '" + line + "'");
    }
}
