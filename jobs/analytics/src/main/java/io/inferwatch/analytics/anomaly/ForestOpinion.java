package io.inferwatch.analytics.anomaly;

import com.amazon.randomcutforest.config.ForestMode;
import com.amazon.randomcutforest.config.TransformMethod;
import com.amazon.randomcutforest.parkservices.AnomalyDescriptor;
import com.amazon.randomcutforest.parkservices.ThresholdedRandomCutForest;

/**
 * A second opinion: Random Cut Forest [Guha et al. 2016], fifty trees of 256 vectors of four values, by the library of its makers, and silent for a while after each alarm. Not a channel: a forest takes tens of times the
 * shape channel's time and memory, and depends on its seed, which is always the same here. Not thread safe; not kept over a restart.
 */
public final class ForestOpinion {
    private static final int TREES = 50;
    private static final int SAMPLE = 256;
    private static final int SHINGLE = 4;
    private static final long SEED = 1;

    /** Share of the time of learning for which it is silent after an alarm. */
    private static final double REST = 0.2;

    private final ThresholdedRandomCutForest forest = ThresholdedRandomCutForest.builder()
            .dimensions(SHINGLE)
            .shingleSize(SHINGLE)
            .numberOfTrees(TREES)
            .sampleSize(SAMPLE)
            .randomSeed(SEED)
            .forestMode(ForestMode.STANDARD)
            .transformMethod(TransformMethod.NONE)
            .parallelExecutionEnabled(false)
            .build();

    private final int learnWindows;
    private long windows;
    private long silentUntil;

    /**
     * Before the first value.
     *
     * @param learnWindows values without an opinion
     */
    public ForestOpinion(int learnWindows) {
        this.learnWindows = learnWindows;
    }

    /**
     * Takes in the next value.
     *
     * @return how strange it is where it is to be told now, in (0, 1); 0 where not
     */
    public double score(double value) {
        AnomalyDescriptor opinion = forest.process(new double[] {value}, windows);
        windows++;
        if (windows <= learnWindows || windows <= silentUntil || opinion.getAnomalyGrade() <= 0) {
            return 0;
        }
        silentUntil = windows + (long) (REST * learnWindows);
        return opinion.getRCFScore() / (1 + opinion.getRCFScore());
    }
}
