package io.inferwatch.schemas.slo;

/** What of the windows is counted as good. */
public sealed interface Indicator {
    /**
     * Requests that were answered and whose value keeps a limit. Requests that failed are bad, those that their client gave up do not count.
     *
     * @param metric a quantile metric of requests
     * @param isUpper whether values up to the limit are good; else those from it on
     * @param limit in the metric's stored unit
     */
    record Values(String metric, boolean isUpper, long limit) implements Indicator {}

    /**
     * One sum in another.
     *
     * @param part a sum metric of requests
     * @param isGood whether the part is what was good; else what was bad
     * @param total a sum metric of requests
     */
    record Share(String part, boolean isGood, String total) implements Indicator {}
}
