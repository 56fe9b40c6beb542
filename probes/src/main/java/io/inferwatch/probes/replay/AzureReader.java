package io.inferwatch.probes.replay;

import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Azure's traces: arrivals and token counts without latencies. Times without a zone are UTC; any number of fractional digits will do. */
final class AzureReader implements TraceReader {
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendPattern("[ ]['T']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .appendPattern("[XXX]")
            .toFormatter(Locale.ROOT);

    private final TraceOptions options;
    private final TraceRows rows;

    AzureReader(TraceOptions options, TraceRows rows) {
        this.options = options;
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        ArrivalClock clock = new ArrivalClock(options.onBackwardTime(), rows);
        new CsvTable(file, List.of("TIMESTAMP", "ContextTokens", "GeneratedTokens"), rows).read((fields, row) -> {
            RequestEvent event = rows.blank();
            event.setPromptTokens(fields.count("ContextTokens"));
            event.setOutputTokens(fields.count("GeneratedTokens"));
            Instant arrival = instant(fields);
            long micros = TimeUnit.SECONDS.toMicros(arrival.getEpochSecond()) + arrival.getNano() / 1_000;
            rows.add(event, row, clock.arrival(micros, fields.where()), null);
        });
    }

    private static Instant instant(Fields fields) {
        String text = fields.requiredText("TIMESTAMP");
        try {
            return parse(text);
        } catch (DateTimeException e) {
            throw fields.bad("TIMESTAMP", "must be a time like 2023-11-16 18:17:03.9799600", "'" + text + "'");
        }
    }

    /** The instant that a timestamp means. */
    static Instant parse(String text) {
        TemporalAccessor time = TIMESTAMP.parseBest(text, OffsetDateTime::from, LocalDateTime::from);
        return time instanceof OffsetDateTime zoned
                ? zoned.toInstant()
                : LocalDateTime.from(time).toInstant(ZoneOffset.UTC);
    }
}
