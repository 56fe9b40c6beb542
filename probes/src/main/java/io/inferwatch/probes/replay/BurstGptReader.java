package io.inferwatch.probes.replay;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.util.List;

/**
 * BurstGPT: arrivals in seconds, models, token counts; in the later files also session and elapsed time, which is the E2E time. A blank
 * session is none. A request without response tokens failed; the file does not say how, so it is NO_TOKEN.
 */
final class BurstGptReader implements TraceReader {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final TraceOptions options;
    private final TraceRows rows;

    BurstGptReader(TraceOptions options, TraceRows rows) {
        this.options = options;
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        ArrivalClock clock = new ArrivalClock(options.onBackwardTime(), rows);
        new CsvTable(file, List.of("Timestamp", "Model", "Request tokens", "Response tokens"), rows)
                .read((fields, row) -> {
                    RequestEvent event = rows.blank();
                    event.setModel(fields.text("Model"));
                    event.setWorkloadClass(fields.text("Log Type"));
                    event.setPromptTokens(fields.count("Request tokens"));
                    long answered = fields.requiredCount("Response tokens");
                    event.setE2eMicros(fields.seconds("Elapsed time"));
                    if (answered == 0) {
                        event.setOutcome(Outcome.NO_TOKEN);
                    } else {
                        event.setOutputTokens(answered);
                    }
                    long arrival = clock.arrival(fields.requiredMicros("Timestamp", MICROS_PER_SECOND), fields.where());
                    rows.add(event, row, arrival, fields.text("Session ID"));
                });
    }
}
