package io.inferwatch.probes.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How far a replay is.
 *
 * @param sent rows handed to the publisher, by this process or, as a resume file says, an earlier one
 * @param rows rows of the trace
 * @param acknowledged rows that Kafka acknowledged
 * @param failed rows that had to be dropped
 * @param ratePerSecond rows sent a second, of late
 * @param eventTime up to which all is sent
 * @param remaining until the last row; nothing while unknown
 */
public record ReplayProgress(
        long sent,
        long rows,
        long acknowledged,
        long failed,
        double ratePerSecond,
        Instant eventTime,
        Optional<Duration> remaining) {}
