package io.inferwatch.analytics.graphs;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Replicas whose captures fail for known reasons. In every world replicas differ by nature, free memory and load wander, and failures come in
 * spells that nothing in the model explains, so that windows of a replica hang together.
 */
enum World {
    /** Failures have nothing to do with jitter. */
    NONE,
    /** Jitter makes new shapes, and these make captures fail in the next window: the only way in which it does. */
    CAUSE,
    /** Little free memory makes both, and is seen. */
    MEMORY,
    /** Something that lasts makes both, and is not seen. */
    HIDDEN,
    /** Failures make the batches after them restless. */
    FEEDBACK;

    /** Standard deviation of jitter within a replica in worlds where nothing else moves it. */
    static final double JITTER = 0.05;

    /** What a new shape adds to the logarithm of the failures' rate. */
    private static final double BY_SHAPE = 0.6;

    /** New shapes by jitter, linear, so that the ratio of failures is a power of it. */
    private static final double SHAPES = 7;

    private static final double LASTING = 0.8;
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    /**
     * The ratio of failures for jitter that is greater by its standard deviation: new shapes are Poisson with mean 1 + 7 j, hence
     * E exp(0.6 shapes) = exp((1 + 7 j)(exp 0.6 - 1)).
     */
    double ratio() {
        return this == CAUSE ? Math.exp(JITTER * SHAPES * Math.expm1(BY_SHAPE)) : 1;
    }

    List<List<CaptureWindow>> replicas(int replicas, int windows, SplittableRandom random) {
        List<List<CaptureWindow>> all = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            all.add(replica("model v" + i % 3, windows, random));
        }
        return all;
    }

    private List<CaptureWindow> replica(String stratum, int windows, SplittableRandom random) {
        double nature = -4.5 + 0.5 * gaussian(random);
        double usual = 0.5 + 0.1 * gaussian(random);
        double restless = gaussian(random);
        double free = gaussian(random);
        double load = gaussian(random);
        double hidden = gaussian(random);
        double spell = gaussian(random);
        double memoryBefore = free;
        int shapesBefore = 0;
        long failedBefore = 0;
        List<CaptureWindow> made = new ArrayList<>();
        for (int t = 0; t < windows; t++) {
            double own =
                    switch (this) {
                        case NONE, CAUSE -> restless;
                        case MEMORY -> 0.6 * restless - 0.8 * free;
                        case HIDDEN -> 0.6 * restless + 0.8 * hidden;
                        case FEEDBACK -> restless + Math.min(3, failedBefore);
                    };
            double jitter = JITTER * own;
            int shapes = poisson(Math.max(0, 1 + SHAPES * jitter), random);
            double log = nature
                    + (this == FEEDBACK ? 1.2 : 0.4) * spell
                    + switch (this) {
                        case NONE, FEEDBACK -> 0;
                        case CAUSE -> BY_SHAPE * (shapesBefore - 1);
                        case MEMORY -> -0.5 * memoryBefore;
                        case HIDDEN -> 0.6 * hidden;
                    };
            int attempts = 1 + poisson(8, random);
            long failures = binomial(attempts, Math.min(1, Math.exp(log)), random);
            made.add(new CaptureWindow(
                    t,
                    stratum,
                    usual + jitter,
                    shapes,
                    0.2 + 0.05 * free,
                    0.6 + 0.1 * load,
                    new CaptureCounts(attempts, failures)));
            memoryBefore = free;
            shapesBefore = shapes;
            failedBefore = failures;
            restless = next(restless, 0.5, random);
            free = next(free, LASTING, random);
            load = next(load, LASTING, random);
            hidden = next(hidden, LASTING, random);
            spell = next(spell, LASTING, random);
        }
        return made;
    }

    private static double next(double value, double lasting, SplittableRandom random) {
        return lasting * value + Math.sqrt(1 - lasting * lasting) * gaussian(random);
    }

    static double gaussian(SplittableRandom random) {
        return NORMAL.inverseCumulativeProbability((random.nextInt(1 << 30) + 0.5) / (1 << 30));
    }

    private static int poisson(double mean, SplittableRandom random) {
        double product = random.nextDouble();
        int count = 0;
        while (product > Math.exp(-mean)) {
            product *= random.nextDouble();
            count++;
        }
        return count;
    }

    static long binomial(int trials, double p, SplittableRandom random) {
        long hits = 0;
        for (int i = 0; i < trials; i++) {
            hits += random.nextDouble() < p ? 1 : 0;
        }
        return hits;
    }
}
