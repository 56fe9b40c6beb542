package io.inferwatch.analytics.shape;

import io.inferwatch.analytics.drift.Moments;
import java.util.List;
import java.util.Optional;

/**
 * What some times have in the sum of all, by their means: prefill and decode of a round trip, one stage of a chain. Limits by the delta
 * method, the times being taken as independent of each other: windows keep each stage's times apart, so that how they move together is
 * unknown. Stages that grow together make the true limits narrower, stages that compensate each other wider.
 */
public final class ShareOfMeans {
    private ShareOfMeans() {}

    /** The share of a part; empty where a mean stands on fewer than {@value Estimate#MIN_N} values, or all are zero. */
    public static Optional<Estimate> of(List<Moments> part, List<Moments> rest) {
        double a = sum(part);
        double b = sum(rest);
        boolean isThin =
                part.stream().anyMatch(ShareOfMeans::isThin) || rest.stream().anyMatch(ShareOfMeans::isThin);
        if (part.isEmpty() || isThin || !(a + b > 0)) {
            return Optional.empty();
        }
        double total = a + b;
        double share = a / total;
        double error = Math.sqrt(b * b * squaredError(part) + a * a * squaredError(rest)) / (total * total);
        double reach = Estimate.reach() * error;
        return Optional.of(new Estimate(share, Math.max(0, share - reach), Math.min(1, share + reach)));
    }

    private static boolean isThin(Moments moments) {
        return moments.n() < Estimate.MIN_N;
    }

    private static double sum(List<Moments> moments) {
        return moments.stream().mapToDouble(Moments::mean).sum();
    }

    private static double squaredError(List<Moments> moments) {
        return moments.stream().mapToDouble(m -> m.variance() / m.n()).sum();
    }
}
