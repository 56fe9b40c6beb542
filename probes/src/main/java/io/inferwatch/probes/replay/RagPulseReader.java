package io.inferwatch.probes.replay;

import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** RAGPulse: arrivals in seconds written as text, token counts and sessions, without latencies. Turns are counted within the session. */
final class RagPulseReader implements TraceReader {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final TraceOptions options;
    private final TraceRows rows;
    private final Map<String, Integer> turns = new HashMap<>();

    RagPulseReader(TraceOptions options, TraceRows rows) {
        this.options = options;
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        ArrivalClock clock = new ArrivalClock(options.onBackwardTime(), rows);
        new JsonLines(file, rows).read((object, fields, row) -> {
            RequestEvent event = rows.blank();
            event.setPromptTokens(fields.count("input_length"));
            event.setOutputTokens(fields.count("output_length"));
            String session = fields.text("session_id");
            if (session != null) {
                event.setTurn(turns.merge(session, 1, Integer::sum));
            }
            long arrival = clock.arrival(fields.requiredMicros("timestamp", MICROS_PER_SECOND), fields.where());
            rows.add(event, row, arrival, session);
        });
    }
}
