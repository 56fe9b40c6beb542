package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.Rejection;
import java.util.Map;

/**
 * How the scraping of a target is doing.
 *
 * @param pages read so far
 * @param lastPageNanos when the last one came, {@link System#nanoTime()}; meaningless without one
 * @param scrapeMicros how long the last scrape took, that failed or not
 * @param intervalMicros at present
 * @param backOffs how often the interval was doubled
 * @param samples of the last page
 * @param unknown of these, how many nobody knows
 * @param unexpectedTypes pages whose content type was another one
 * @param otherGrids series of histograms that were left out
 */
record TargetStatus(
        String replica,
        long pages,
        long lastPageNanos,
        long scrapeMicros,
        long intervalMicros,
        long backOffs,
        long samples,
        long unknown,
        long unexpectedTypes,
        long otherGrids,
        Map<ScrapeFailure, Long> failures,
        Map<Rejection, Long> rejections) {}
