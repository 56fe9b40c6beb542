package io.inferwatch.probes.engine;

import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.Objects;

/**
 * How targets are scraped.
 *
 * @param interval between two scrapes of a target, as long as it answers quickly
 * @param timeout for a whole answer; at most the interval
 * @param maxBytes of a page, inflated too
 * @param maxSeries of a target
 * @param slow a scrape that takes longer doubles the target's interval, one that takes less than half of it halves it again
 * @param maxInterval up to here
 * @param gzip whether compressed pages are asked for: it costs the server more than it saves where it is near
 */
public record ScrapeSettings(
        Duration interval,
        Duration timeout,
        int maxBytes,
        int maxSeries,
        Duration slow,
        Duration maxInterval,
        boolean gzip) {
    /** The default of {@code --interval}. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

    private static final Duration LEAST = Duration.ofMillis(100);
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DEFAULT_SLOW = Duration.ofMillis(50);
    private static final int DEFAULT_MAX_KIB = 16 * 1024;
    private static final int DEFAULT_MAX_SERIES = 20_000;
    private static final int BACK_OFF = 8;

    /** With the defaults for everything but the interval. */
    public static ScrapeSettings every(Duration interval) {
        return of(Settings.parse("scrape", ""), interval);
    }

    /** Reads the settings' section {@code scrape}. Problems are the section's. */
    public static ScrapeSettings of(Settings section, Duration interval) {
        Duration day = Duration.ofDays(1);
        Duration timeout = DEFAULT_TIMEOUT.compareTo(interval) < 0 ? DEFAULT_TIMEOUT : interval;
        Duration most = interval.multipliedBy(BACK_OFF);
        return new ScrapeSettings(
                interval,
                Objects.requireNonNullElse(section.duration("timeout", LEAST, interval, timeout), timeout),
                (int) section.integer("max-kib", 1, 1 << 20, DEFAULT_MAX_KIB) * 1024,
                (int) section.integer("max-series", 1, 1_000_000, DEFAULT_MAX_SERIES),
                Objects.requireNonNullElse(
                        section.duration("slow", Duration.ofMillis(1), day, DEFAULT_SLOW), DEFAULT_SLOW),
                Objects.requireNonNullElse(section.duration("max-interval", interval, day, most), most),
                section.flag("gzip", false));
    }
}
