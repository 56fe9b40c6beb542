package io.inferwatch.probes.engine.exposition;

import java.util.Locale;
import java.util.Optional;

/** The form of a page. */
public enum PageFormat {
    /** Prometheus' text format 0.0.4. */
    TEXT,
    /** OpenMetrics 1.0 in text; whole only with its last line {@code # EOF}. */
    OPEN_METRICS,
    /** Prometheus' protocol buffers, each message behind its length. */
    PROTOBUF;

    /** What a scrape asks for: text first, which is the cheapest to read again and again. */
    public static final String ACCEPT = "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.8,"
            + "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.5,*/*;q=0.1";

    /** The format that a content type says; empty when it says none of these, and the page may be text for all that. */
    public static Optional<PageFormat> of(String contentType) {
        String type = contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        return switch (type) {
            case "text/plain" -> Optional.of(TEXT);
            case "application/openmetrics-text" -> Optional.of(OPEN_METRICS);
            case "application/vnd.google.protobuf" -> Optional.of(PROTOBUF);
            default -> Optional.empty();
        };
    }
}
