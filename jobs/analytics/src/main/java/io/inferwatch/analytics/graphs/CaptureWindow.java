package io.inferwatch.analytics.graphs;

/**
 * A replica in one of consecutive windows of equal length.
 *
 * @param number of the window; a number that is left out is a gap in time, which no lag reaches across
 * @param stratum what is compared only within: model, version, class of uptime
 * @param jitter of batches, e.g. {@link BatchJitter#variation}
 * @param newShapes that first ran in it
 * @param freeShare of device memory
 * @param load e.g. running requests, of the places for them
 * @param lazy captures in it since the first request; those at start-up do not belong here
 */
public record CaptureWindow(
        long number, String stratum, double jitter, int newShapes, double freeShare, double load, CaptureCounts lazy) {}
