package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code inferwatch report causes}: what alerts that began to fire likely came from. */
@Command(
        name = "causes",
        description = "Likely causes of the alerts that began to fire in the period, likeliest first, with what shows"
                + " each; and how likely it is something that the data do not show.",
        mixinStandardHelpOptions = true)
public final class CausesCommand extends PeriodSubcommand {
    private static final String CAUSES = "causes";
    private static final StoredLine.Question ALL = new StoredLine.Question(
            Measurement.CAUSE,
            "",
            List.of(Field.CAUSE_SHARE, Field.SCORE, Field.CAUSE_LEAD),
            List.of(Field.CAUSE_NAME, Field.CAUSE_EVIDENCE),
            List.of(Field.ALERT, Field.FINGERPRINT, Field.RANK));

    /** A command that takes now from the system. */
    public CausesCommand() {
        this(InstantSource.system());
    }

    CausesCommand(InstantSource clock) {
        super(clock);
    }

    @Override
    Map<String, List<StoredLine>> read(Instant from, Instant to, InfluxReader reader) {
        return Map.of(
                CAUSES,
                ALL.all(RetentionPolicy.R1M, from, to, reader).stream()
                        .sorted(Comparator.comparing(StoredLine::at)
                                .thenComparing(line -> line.tag(Field.FINGERPRINT))
                                .thenComparingInt(line -> Integer.parseInt(line.tag(Field.RANK))))
                        .toList());
    }

    @Override
    List<String> table(Instant from, Instant to, Map<String, List<StoredLine>> lists) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("at", "alert", "cause", "evidence", "likely", "score", "lead"));
        String before = "";
        for (StoredLine line : lists.getOrDefault(CAUSES, List.of())) {
            String incident = line.at() + " " + line.tag(Field.FINGERPRINT);
            boolean isNew = !incident.equals(before);
            before = incident;
            rows.add(List.of(
                    isNew ? line.at().toString() : "",
                    isNew ? line.tag(Field.FINGERPRINT) : "",
                    line.text(Field.CAUSE_NAME),
                    line.text(Field.CAUSE_EVIDENCE),
                    TableText.orNone(line.figure(Field.CAUSE_SHARE), TableText::percent),
                    TableText.orNone(line.figure(Field.SCORE), TableText::probability),
                    TableText.orNone(line.figure(Field.CAUSE_LEAD), seconds -> Math.round(seconds / 60) + " min")));
        }
        List<String> table = new ArrayList<>();
        table.add("causes of alerts from " + from + " to " + to);
        table.addAll(TableText.align(rows, 4));
        return table;
    }

    @Override
    String whenEmpty() {
        return "no alert began to fire after eight quiet minutes";
    }
}
