package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.cause.CauseRanking;
import io.inferwatch.analytics.cause.CauseRule;
import io.inferwatch.analytics.cause.Incident;
import io.inferwatch.analytics.cause.Signal;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A ranking as an alert tells it, and as it is stored. What the data do not explain stands first where it is more than half, else last. */
record CauseResults(Alert alert, CauseRanking ranking, Incident incident) {
    private static final int TOLD = 3;

    /** One line in the ranking. */
    private record Line(String cause, Optional<Double> share, Optional<Double> score, String evidence) {}

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (CauseRanking.Candidate candidate : ranking.candidates()) {
            lines.add(new Line(
                    candidate.cause(),
                    lines.isEmpty() ? Optional.of(1 - ranking.unknown()) : Optional.empty(),
                    Optional.of(candidate.score()),
                    candidate.evidence().stream()
                            .map(CauseRanking.Evidence::what)
                            .collect(Collectors.joining("; "))));
        }
        boolean isFirst = ranking.first().equals(CauseRanking.UNKNOWN);
        Line unknown = new Line(CauseRanking.UNKNOWN, Optional.of(ranking.unknown()), Optional.empty(), "");
        lines.add(isFirst ? 0 : lines.size(), unknown);
        return lines;
    }

    /** For people, likeliest first. */
    List<String> texts() {
        return lines().stream().limit(TOLD).map(CauseResults::text).toList();
    }

    private static String text(Line line) {
        String certainty = line.share
                .map(share -> String.format(Locale.ROOT, " (%.0f %%)", 100 * share))
                .orElseGet(() -> String.format(Locale.ROOT, " (score %.2f)", line.score.orElse(0.0)));
        return line.cause + certainty + (line.evidence.isEmpty() ? "" : ": " + line.evidence);
    }

    /** A point for each, of the minute that ended then. */
    List<FigureResult> figures(String view, long endMicros) {
        List<FigureResult> figures = new ArrayList<>();
        for (Line line : lines()) {
            FigureBuilder figure = new FigureBuilder(
                            Measurement.CAUSE,
                            view,
                            List.of(
                                    new Dimension(Field.ALERT, alert.getName()),
                                    new Dimension(Field.FINGERPRINT, alert.getFingerprint()),
                                    new Dimension(Field.RANK, Integer.toString(figures.size() + 1))),
                            RouteFunction.MINUTE_MICROS,
                            endMicros)
                    .text(Field.CAUSE_NAME, line.cause)
                    .text(Field.CAUSE_EVIDENCE, line.evidence);
            line.share.ifPresent(share -> figure.value(Field.CAUSE_SHARE, share));
            line.score.ifPresent(score -> figure.value(Field.SCORE, score));
            lead(line.cause)
                    .ifPresent(signal -> figure.value(
                            Field.CAUSE_LEAD, (double) signal.lead().toSeconds()));
            figures.add(figure.build());
        }
        return figures;
    }

    /** The reading of a cause that departed furthest. */
    private Optional<Signal> lead(String cause) {
        return CauseRule.STANDARD.stream()
                .filter(rule -> rule.name().equals(cause))
                .flatMap(rule -> incident.signals().stream()
                        .filter(signal -> signal.departed()
                                && Boolean.valueOf(signal.change() > 0)
                                        .equals(rule.signals().get(signal.name()))))
                .max(Comparator.comparingDouble(signal -> Math.abs(signal.change())));
    }
}
