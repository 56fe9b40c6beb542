package io.inferwatch.analytics.kernel;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the last-level cache over kernels, e.g. all of one mix of precisions. Rates are ratios of sums: a kernel counts by its requests,
 * and a mean of rates would let one with a hundred of them outvote one with a million. Only requests whose hits (bytes) are known are in the
 * denominator. Adding is exact and knows no order.
 *
 * @param judgedRequests requests whose hits are known
 * @param hits how many of these were answered
 * @param measuredRequests requests whose bytes are known
 * @param bytes of these
 * @param leftOut kernels that tell neither
 */
public record CacheUse(long judgedRequests, long hits, long measuredRequests, long bytes, long leftOut) {
    /** No kernels. */
    public static final CacheUse NONE = new CacheUse(0, 0, 0, 0, 0);

    /** Checks the numbers. */
    public CacheUse {
        if (hits < 0 || hits > judgedRequests) {
            throw new IllegalArgumentException(
                    "hits: must be from 0 to the " + judgedRequests + " requests, found " + hits);
        }
        if (measuredRequests < 0 || bytes < 0 || leftOut < 0) {
            throw new IllegalArgumentException("measuredRequests, bytes, leftOut: must be at least 0, found "
                    + measuredRequests + ", " + bytes + " and " + leftOut);
        }
    }

    /** A kernel over all its calls; what its profile does not tell is null. */
    public static CacheUse of(@Nullable Long requests, @Nullable Long hits, @Nullable Long bytes) {
        if (requests == null || (hits == null && bytes == null)) {
            return new CacheUse(0, 0, 0, 0, 1);
        }
        return new CacheUse(
                hits == null ? 0 : requests,
                hits == null ? 0 : hits,
                bytes == null ? 0 : requests,
                bytes == null ? 0 : bytes,
                0);
    }

    /** Both together. */
    public CacheUse plus(CacheUse other) {
        return new CacheUse(
                judgedRequests + other.judgedRequests,
                hits + other.hits,
                measuredRequests + other.measuredRequests,
                bytes + other.bytes,
                leftOut + other.leftOut);
    }

    /** The share of requests that went to device memory; empty without requests. */
    public OptionalDouble missRate() {
        return ratio(judgedRequests - hits, judgedRequests);
    }

    /** Bytes of a request; empty without requests. */
    public OptionalDouble bytesPerRequest() {
        return ratio(bytes, measuredRequests);
    }

    private static OptionalDouble ratio(long part, long whole) {
        return whole == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / whole);
    }
}
