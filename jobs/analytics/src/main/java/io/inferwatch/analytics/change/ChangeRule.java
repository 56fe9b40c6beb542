package io.inferwatch.analytics.change;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * The one set of parameters, for every series, benchmark and production alike. Nothing is set for a single series. Each parameter says why it is what it is; what was chosen on recorded data
 * is said in the README, with how little it matters.
 *
 * @param clip what is done to single wild values before levels are looked for
 * @param candidates where levels may change
 * @param change what a candidate must show to be a change
 * @param suspect what the last few values must show to be told of as a suspicion, which calls nobody
 * @param nearlyAsGood a cut whose cost is so much above the best one may be the true one as well: 3, a likelihood 20 times smaller, as in 95 % limits
 */
public record ChangeRule(Clip clip, Candidates candidates, Gates change, Gates suspect, double nearlyAsGood) {
    /** The set that everything uses: changes of 3 % and more. */
    public static final ChangeRule STANDARD = new ChangeRule(
            new Clip(3, 3),
            new Levels(0.1, 1, 0.01, 0.001, 5),
            new Gates(6, 0.03, 1, 0.002, 8),
            new Gates(3, 0.03, 3, 0.01, 8),
            3);

    /** The same with divisions by energy as candidates instead. */
    public ChangeRule withCandidates(Candidates other) {
        return new ChangeRule(clip, other, change, suspect, nearlyAsGood);
    }

    /** For memberships of modes, 0 and 1: nothing is wild, medians say nothing, and ranks are the counts; twelve runs, since six of one mode may be luck. */
    ChangeRule forShares() {
        return new ChangeRule(
                new Clip(0, clip.sigmas()),
                candidates instanceof Levels ? candidates : STANDARD.candidates,
                new Gates(2 * change.minLength(), 0, 0, change.p(), change.blocks()),
                suspect,
                nearlyAsGood);
    }

    /** The same for changes of at least so much; 0 for any. */
    public ChangeRule withMinChange(double least) {
        return new ChangeRule(
                clip, candidates, change.withMinChange(least), suspect.withMinChange(least), nearlyAsGood);
    }

    /**
     * See {@link Hampel}.
     *
     * @param halfWidth neighbours on each side: 3, so that four bad runs in a row are a level
     * @param sigmas from the neighbours' median: 3, the usual limit
     */
    public record Clip(int halfWidth, double sigmas) {}

    /** Where levels may change. */
    public sealed interface Candidates {}

    /**
     * The most likely partition into levels, by {@link Partition}; in standard deviations of the series.
     *
     * @param k0 values that the belief in a level of 0 is worth: 0.1, hardly any
     * @param a0 half of the values that the belief in a spread is worth: 1, as few as give a proper mean
     * @param b0 its scale: 0.01, so that levels may be a tenth as wide as the series
     * @param chance that a run has changed something: 1 in 1,000
     * @param minLength values of a level: 5, one less than a change needs, so that a change may lose one value to its neighbour
     */
    public record Levels(double k0, double a0, double b0, double chance, int minLength) implements Candidates {
        double price() {
            return Math.log((1 - chance) / chance);
        }
    }

    /**
     * Hierarchical division with a t test, as it is widely used for nightly benchmarks: see {@link EnergyDivisive}.
     *
     * @param window values that are divided at a time; the next window begins half a window later, or at the last division
     * @param p of the t test, below which a division stays
     * @param firstFactor how many times that is let pass while dividing
     * @param magnitude relative change of means that a division must exceed, the greater of both ways round
     */
    public record Energy(int window, double p, double firstFactor, double magnitude) implements Candidates {
        /** As it is published. */
        public static final Energy PUBLISHED = new Energy(50, 0.001, 10, 0);

        /** The same for changes of more than that. */
        public Energy withMagnitude(double least) {
            return new Energy(window, p, firstFactor, least);
        }
    }

    /**
     * What two levels side by side must show. A step must also explain the values better than a straight line does: what creeps is not a commit's.
     *
     * @param minLength values on either side: 6, since ranks of fewer cannot differ significantly after a choice among sixty places; 3 for a suspicion
     * @param minChange of the median, relative: 3 %, below which nobody acts
     * @param minSigmas of the step, in robust standard deviations around the levels: 1, since a level that moves by less than the runs differ is not seen by anyone; 3 for a suspicion
     * @param p of the rank test and of the test of blocks, each: 0.002, of which both must be passed; 0.01 for a suspicion
     * @param blocks that both levels together are at least cut to: 8, few enough that a block spans what lasts, and enough for a spread. See {@link BlockTest}
     */
    public record Gates(int minLength, double minChange, double minSigmas, double p, int blocks) {
        Gates withMinChange(double least) {
            return new Gates(minLength, least, minSigmas, p, blocks);
        }

        /**
         * How far the step is within all gates: the least of what is shown over what is asked; a change from 1 on.
         *
         * @param step with these gates' number of blocks
         */
        double strength(Step step) {
            double strength = Math.min(step.lengthBefore(), step.lengthAfter()) / (double) minLength;
            if (minChange > 0) {
                strength = Math.min(strength, Math.abs(step.change()) / minChange);
            }
            if (minSigmas > 0) {
                strength = Math.min(strength, step.sigmas() / minSigmas);
            }
            double asked = NormalDistribution.of(0, 1).inverseSurvivalProbability(p / 2);
            strength = Math.min(strength, Math.abs(step.rankZ()) / asked);
            strength = Math.min(strength, step.blocks().strength(p));
            return Math.min(strength, step.aheadOfLine());
        }
    }
}
