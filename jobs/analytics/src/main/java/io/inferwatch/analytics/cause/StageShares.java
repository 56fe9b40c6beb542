package io.inferwatch.analytics.cause;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which stages a rise in latency comes from, and how much of it is other traffic. Like is compared with like by buckets of prompt length: a stage's part is
 * sum over buckets of w'_b (mu'_b - mu_b), the mix's is sum of (w'_b - w_b) mu_b over all stages, with the weights w' of now. Parts add up to the whole rise
 * over common buckets; shares are of all that rose.
 *
 * @param byStage each stage's share, from 0 to 1, in the names' order
 * @param mix the mix's share, from 0 to 1
 * @param riseMicros the whole rise of the mean
 */
public record StageShares(Map<String, Double> byStage, double mix, double riseMicros) {
    /**
     * The requests of a bucket.
     *
     * @param n how many
     * @param meanMicros by stage
     */
    public record Bucket(long n, Map<String, Double> meanMicros) {
        /** A bucket with an unmodifiable map. */
        public Bucket {
            if (n < 1) {
                throw new IllegalArgumentException("n: must be at least 1, found " + n);
            }
            meanMicros = Map.copyOf(meanMicros);
        }
    }

    private record Pair(Bucket now, Bucket before) {}

    /** The shares of a rise between two sets of requests, by bucket of prompt length. Without a common bucket nothing is known. */
    public static StageShares of(Map<String, Bucket> now, Map<String, Bucket> before) {
        List<Pair> common = new ArrayList<>();
        now.forEach((name, is) -> {
            Bucket was = before.get(name);
            if (was != null) {
                common.add(new Pair(is, was));
            }
        });
        double nowN = common.stream().mapToLong(pair -> pair.now.n()).sum();
        double beforeN = common.stream().mapToLong(pair -> pair.before.n()).sum();
        Map<String, Double> parts = new HashMap<>();
        double mix = 0;
        for (Pair pair : common) {
            double weight = pair.now.n() / nowN;
            for (Map.Entry<String, Double> stage : pair.before.meanMicros().entrySet()) {
                mix += (weight - pair.before.n() / beforeN) * stage.getValue();
                Double present = pair.now.meanMicros().get(stage.getKey());
                if (present != null) {
                    parts.merge(stage.getKey(), weight * (present - stage.getValue()), Double::sum);
                }
            }
        }
        double rise = mix + parts.values().stream().mapToDouble(part -> part).sum();
        double risen = Math.max(0, mix)
                + parts.values().stream().mapToDouble(part -> Math.max(0, part)).sum();
        Map<String, Double> shares = new TreeMap<>();
        parts.forEach((stage, part) -> shares.put(stage, risen == 0 ? 0 : Math.max(0, part) / risen));
        return new StageShares(shares, risen == 0 ? 0 : Math.max(0, mix) / risen, rise);
    }
}
