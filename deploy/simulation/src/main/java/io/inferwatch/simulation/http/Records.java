package io.inferwatch.simulation.http;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.simulation.memory.DeviceState;
import io.inferwatch.simulation.serving.ServerSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where ended requests are written down: timing log and spans, as far as they are asked for. Thread safe. */
final class Records implements AutoCloseable {
    private final @Nullable TimingLog timingLog;
    private final ServerSpec server;
    private volatile @Nullable SpanExporter spans;
    private volatile @Nullable MemoryReporter memory;

    /**
     * Opens what is asked for.
     *
     * @throws InvalidSettingsException when the log cannot be written
     */
    Records(SimulationSettings settings) {
        timingLog = settings.timingLog().map(Records::open).orElse(null);
        server = settings.server();
        settings.tracesEndpoint().ifPresent(this::sendSpansTo);
    }

    /** Spans of requests that end from now on go there. */
    synchronized void sendSpansTo(URI endpoint) {
        if (spans != null) {
            throw new IllegalStateException("spans: go somewhere already");
        }
        spans = new SpanExporter(endpoint, server);
    }

    /** From now on the device's memory is reported there. */
    synchronized void reportMemoryTo(URI endpoint, Supplier<CompletableFuture<DeviceState>> device) {
        if (memory != null) {
            throw new IllegalStateException("memory: is reported somewhere already");
        }
        memory = new MemoryReporter(endpoint, device);
    }

    void add(ServedRequest served) {
        if (timingLog != null) {
            timingLog.add(served);
        }
        SpanExporter present = spans;
        if (present != null) {
            present.add(served);
        }
    }

    /** What was written and lost. */
    void describe(ExpositionText page) {
        if (timingLog != null) {
            page.counter("inferwatch_simulation_timing_lines_lost_total", "lines not written.", timingLog.lost());
        }
        SpanExporter present = spans;
        if (present != null) {
            page.counter("inferwatch_simulation_spans_sent_total", "spans taken by the collector.", present.sent());
            page.counter("inferwatch_simulation_spans_dropped_total", "spans lost.", present.dropped());
        }
        MemoryReporter reporter = memory;
        if (reporter != null) {
            page.counter(
                    "inferwatch_simulation_memory_reports_dropped_total",
                    "reports of the device's memory lost.",
                    reporter.dropped());
        }
    }

    @Override
    public void close() {
        if (timingLog != null) {
            timingLog.close();
        }
        SpanExporter present = spans;
        if (present != null) {
            present.close();
        }
        MemoryReporter reporter = memory;
        if (reporter != null) {
            reporter.close();
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
