package io.inferwatch.analytics.quantile;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Kinds of values that latencies take, drawn with a seed. */
enum Values {
    CONSTANT,
    ONES,
    LINEAR,
    EXPONENTIAL,
    LOGNORMAL,
    BIMODAL,
    HEAVY_TAILED,
    WITH_ZEROS,
    SMALL_COUNTS;

    long[] draw(int n, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return LongStream.generate(() -> one(random)).limit(n).toArray();
    }

    private long one(SplittableRandom random) {
        return switch (this) {
            case CONSTANT -> 123_456;
            case ONES -> 1;
            case LINEAR -> random.nextLong(1, 1_000_000);
            case EXPONENTIAL -> 1 + (long) (-50_000 * Math.log(1 - random.nextDouble()));
            case LOGNORMAL -> 1 + (long) Math.exp(11 + 0.8 * gaussian(random));
            case BIMODAL -> (long) ((random.nextInt(1000) < 985 ? 50_000 : 2_000_000) * (1 + 0.05 * gaussian(random)));
            case HEAVY_TAILED -> (long) Math.min(9e12, 1_000 / Math.pow(1 - random.nextDouble(), 1.5));
            case WITH_ZEROS -> random.nextInt(5) == 0 ? 0 : random.nextLong(1, 5_000);
            case SMALL_COUNTS -> random.nextLong(0, 12);
        };
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
