package io.inferwatch.analytics.cause;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How often the best cause was the right one, by its score: steps that only rise, which fit observed hits best (isotonic regression by pooling neighbours [Ayer et
 * al. 1955]).
 *
 * @param steps rising in both
 */
public record Calibration(List<Step> steps) {
    /** That of {@link CauseRule#STANDARD}, on injected incidents of eight kinds and some that nothing shows. */
    public static final Calibration STANDARD = new Calibration(List.of(
            new Step(0.20, 0.22),
            new Step(0.23, 0.45),
            new Step(0.28, 0.65),
            new Step(0.30, 0.70),
            new Step(0.33, 0.74),
            new Step(0.36, 0.87),
            new Step(0.42, 0.93),
            new Step(0.45, 0.95),
            new Step(0.56, 0.99)));

    /**
     * From a score on.
     *
     * @param probability that a cause with such a score is the right one
     */
    public record Step(double fromScore, double probability) {}

    /** A calibration with an unmodifiable list. */
    public Calibration {
        steps = List.copyOf(steps);
        for (int i = 1; i < steps.size(); i++) {
            if (steps.get(i).fromScore() <= steps.get(i - 1).fromScore()
                    || steps.get(i).probability() < steps.get(i - 1).probability()) {
                throw new IllegalArgumentException("steps: must rise, found " + steps);
            }
        }
    }

    /** What a score means; 0 below the first step. */
    public double probability(double score) {
        double probability = 0;
        for (Step step : steps) {
            if (score >= step.fromScore()) {
                probability = step.probability();
            }
        }
        return probability;
    }

    /** The calibration of incidents whose cause was known: the best score of each, and whether that was right. */
    public static Calibration fit(double[] scores, boolean[] hits) {
        List<Pool> pools = new ArrayList<>();
        int[] order = IntStream.range(0, scores.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> scores[i]))
                .mapToInt(i -> i)
                .toArray();
        for (int i : order) {
            Pool pool = new Pool(scores[i], hits[i] ? 1 : 0, 1);
            while (!pools.isEmpty()
                    && (last(pools).from == pool.from || last(pools).share() >= pool.share())) {
                pool = pools.remove(pools.size() - 1).plus(pool);
            }
            pools.add(pool);
        }
        return new Calibration(
                pools.stream().map(pool -> new Step(pool.from, pool.share())).toList());
    }

    private static Pool last(List<Pool> pools) {
        return pools.get(pools.size() - 1);
    }

    private record Pool(double from, int hits, int n) {
        double share() {
            return (double) hits / n;
        }

        Pool plus(Pool above) {
            return new Pool(from, hits + above.hits, n + above.n);
        }
    }
}
