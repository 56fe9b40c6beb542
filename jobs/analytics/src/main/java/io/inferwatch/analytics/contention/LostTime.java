package io.inferwatch.analytics.contention;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.shape.Estimate;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The time that a unit loses to contention with each of its operations: their mean duration less that of operations of the same size which ran
 * alone and did not wait, the baseline free of queueing. Sizes are compared within buckets, since long operations are the likelier to meet
 * others, and weighted by all operations of a bucket, those alone included, which lose nothing. Limits at 95 % by Student's distribution with
 * Satterthwaite's degrees of freedom [Satterthwaite 1946], the shares of a bucket being taken as known. For one unit at a time: operations of
 * several units that met wait for the same work, and limits over them would be too narrow.
 *
 * @param micros lost with an operation; negative where those that met others were the faster ones
 * @param errorMicros standard error of that
 * @param freedom its degrees of freedom
 * @param operations that this holds for
 * @param uncovered operations in buckets with fewer than {@value Estimate#MIN_N} alone or with others, of which nothing is said
 */
public record LostTime(double micros, double errorMicros, double freedom, long operations, long uncovered) {
    private static final double TAIL = 0.025;

    /**
     * Operations of about the same size.
     *
     * @param alone durations of those that met no other and did not wait
     * @param shared durations of those that met others, their waiting included
     */
    public record Bucket(Moments alone, Moments shared) {
        long operations() {
            return alone.n() + shared.n();
        }

        boolean isCovered() {
            return Math.min(alone.n(), shared.n()) >= Estimate.MIN_N;
        }
    }

    /** Time lost over all buckets; empty where none is covered. */
    public static Optional<LostTime> of(List<Bucket> buckets) {
        long all = buckets.stream().mapToLong(Bucket::operations).sum();
        long covered = buckets.stream()
                .filter(Bucket::isCovered)
                .mapToLong(Bucket::operations)
                .sum();
        if (covered == 0) {
            return Optional.empty();
        }
        double lost = 0;
        double variance = 0;
        double ofVariance = 0;
        for (Bucket bucket : buckets) {
            if (bucket.isCovered()) {
                double weight = (double) bucket.shared.n() / covered;
                lost += weight * (bucket.shared.mean() - bucket.alone.mean());
                for (Moments side : List.of(bucket.alone, bucket.shared)) {
                    double part = weight * weight * side.variance() / side.n();
                    variance += part;
                    ofVariance += part * part / (side.n() - 1);
                }
            }
        }
        double freedom = variance == 0 ? covered : variance * variance / ofVariance;
        return Optional.of(new LostTime(lost, Math.sqrt(variance), freedom, covered, all - covered));
    }

    /** The time lost with its limits. */
    public Estimate estimate() {
        return limits(micros, errorMicros, freedom);
    }

    /** What a change of the scheduling did: the time lost now less that of before, of other operations. Negative is better. */
    public Estimate since(LostTime before) {
        double variance = errorMicros * errorMicros;
        double varianceBefore = before.errorMicros * before.errorMicros;
        double both = variance + varianceBefore;
        double welch = both == 0
                ? freedom
                : both * both / (variance * variance / freedom + varianceBefore * varianceBefore / before.freedom);
        return limits(micros - before.micros, Math.sqrt(both), welch);
    }

    private static Estimate limits(double value, double error, double freedom) {
        double reach = TDistribution.of(freedom).inverseSurvivalProbability(TAIL) * error;
        return new Estimate(value, value - reach, value + reach);
    }
}
