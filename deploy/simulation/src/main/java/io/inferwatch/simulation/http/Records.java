package io.inferwatch.simulation.http;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where ended requests are written down: timing log and spans, as far as the settings ask for them. */
final class Records implements AutoCloseable {
    private final @Nullable TimingLog timingLog;
    private final @Nullable SpanExporter spans;

    /**
     * Opens what is asked for.
     *
     * @throws InvalidSettingsException when the log cannot be written
     */
    Records(SimulationSettings settings) {
        timingLog = settings.timingLog().map(Records::open).orElse(null);
        spans = settings.tracesEndpoint()
                .map(endpoint -> new SpanExporter(endpoint, settings.server()))
                .orElse(null);
    }

    void add(ServedRequest served) {
        if (timingLog != null) {
            timingLog.add(served);
        }
        if (spans != null) {
            spans.add(served);
        }
    }

    /** What was written and lost. */
    void describe(ExpositionText page) {
        if (timingLog != null) {
            page.counter("inferwatch_simulation_timing_lines_lost_total", "lines not written.", timingLog.lost());
        }
        if (spans != null) {
            page.counter("inferwatch_simulation_spans_sent_total", "spans taken by the collector.", spans.sent());
            page.counter("inferwatch_simulation_spans_dropped_total", "spans lost.", spans.dropped());
        }
    }

    @Override
    public void close() {
        if (timingLog != null) {
            timingLog.close();
        }
        if (spans != null) {
            spans.close();
        }
    }

    private static TimingLog open(Path file) {
        try {
            return new TimingLog(file);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "simulated server",
                    List.of("timing-log: must be a file that can be written, found " + file + " (" + e + ")"));
        }
    }
}
