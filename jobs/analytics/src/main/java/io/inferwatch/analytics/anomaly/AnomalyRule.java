package io.inferwatch.analytics.anomaly;

import java.time.Duration;
import java.util.List;

/**
 * The one set of parameters, for every series, benchmark and production alike. Nothing is set for a single series: what suits a series is learned from
 * it. Each parameter says why it is what it is.
 */
public record AnomalyRule(Level level, Slow slow, Shape shape, Alarms alarms) {
    /** The set that everything uses. */
    public static final AnomalyRule STANDARD = new AnomalyRule(
            new Level(0.3, 4, 2, 3, 0.25, 24),
            new Slow(0.5, 5, 4),
            new Shape(
                    List.of(
                            new View(8, 13, Block.EXTREME, 1),
                            new View(4, 13, Block.EXTREME, 0.3),
                            new View(12, 10, Block.EXTREME, 0.3),
                            new View(8, 13, Block.MEAN, 0.3)),
                    0.8,
                    0.99,
                    0.15,
                    0.03,
                    2,
                    1.15,
                    9,
                    2,
                    0.4,
                    0.4,
                    4096),
            new Alarms(1e-4, 1e-3, 1e-9, Duration.ofDays(1), 12, 2, 0.5, 3, Duration.ofHours(1), 3, 30));

    /** The same, with somebody called at another p-value. What is learned does not depend on it. */
    public AnomalyRule toldAt(double p) {
        return new AnomalyRule(level, slow, shape, alarms.toldAt(p));
    }

    /**
     * The level by hour of the week.
     *
     * @param weight of the newest residual in the moving average: 0.3 sees a change of three spreads in four windows, and averages 5.7 windows
     * @param sigmas limit of a residual, and of the moving average in its own standard deviations, sqrt(weight / (2 - weight)) of a residual's: 4 is passed
     *     once in 16,000 windows of normal noise
     * @param weeks times that an hour of the week must have been seen to speak for itself: 2, for one may have been a holiday; until then the like days speak
     * @param capSpreads how far one hour may move what is expected, in spreads: 3, so that an incident that nobody saw does not become the rule
     * @param leastWeight of the newest week in what is expected: 0.25 forgets a season within two months
     * @param learnHours hours until there is an expectation: a day, the shortest season of traffic
     */
    public record Level(
            double weight, double sigmas, int weeks, double capSpreads, double leastWeight, int learnHours) {
        /** What the moving average's absolute value must not pass. */
        double limit() {
            return sigmas * Math.sqrt(weight / (2 - weight));
        }
    }

    /**
     * Two sums of residuals, one each way.
     *
     * @param slack taken off each residual: half of the least change that it is to see, which is one spread
     * @param limit of the sums: 5 with that slack has an average run length of 465 windows without a change and of 10 with one of one spread; the rest is
     *     left to the p-value, since residuals resemble their neighbours
     * @param cap of one residual, in spreads: 4, so that the sum needs several
     */
    public record Slow(double slack, double limit, double cap) {}

    /** What stands for a block of values. */
    public enum Block {
        /** That of least and greatest that is farther from where the series was: keeps spikes. */
        EXTREME,
        /** The mean: keeps plateaus. */
        MEAN
    }

    /**
     * A way to look at the shape.
     *
     * @param width blocks of a vector, W
     * @param vectors vectors, end to end, of the time of learning: it has W times that many blocks, which sets a block's length
     * @param weight in the geometric mean of the views
     */
    public record View(int width, int vectors, Block block, double weight) {}

    /**
     * How unlike everything before the latest stretch is (left discord). The values are those of a published study on public series, but for threshold and
     * recovery; see the README for what was measured.
     *
     * @param views the first one sets the pace: after each of its blocks there is a reading
     * @param usual quantile of past distances that counts as usual: 0.8, for much of a series resembles itself too well
     * @param tail quantile that is mixed in, so that a series with rare but normal events is held against those
     * @param tailWeight of it, on the logarithm
     * @param floor of what is usual, in ranges of the time of learning: the dead band, without which a flat series would alarm about its last digit
     * @param cap of a distance that is remembered, in usual ones: 2, so that an anomaly does not become the measure of the next
     * @param threshold of the views' mean: alarm above
     * @param refractoryBlocks blocks after an alarm in which only escalation is one: little more than a vector, which holds what was told for so long
     * @param escalation how many times worse than the last alarm is told again
     * @param fatigue how much alarms dull the next: the mean is divided by 1 + fatigue * budget spent
     * @param recovery of the budget within a time of learning: e^-recovery is left
     * @param mostBlocks that are remembered for each view: 4,096 are 37 days of windows of a minute, learnt from a day
     */
    public record Shape(
            List<View> views,
            double usual,
            double tail,
            double tailWeight,
            double floor,
            double cap,
            double threshold,
            int refractoryBlocks,
            double escalation,
            double fatigue,
            double recovery,
            int mostBlocks) {
        /** Copies. */
        public Shape {
            views = List.copyOf(views);
        }
    }

    /**
     * What becomes of the channels' readings.
     *
     * @param alone p-value, over all channels together, at which one channel is enough: 1e-4 is one window in a week of minutes
     * @param together p-value at which one that sees the level and the shape are
     * @param told p-value at which somebody is called: 100,000 series have 1e9 windows of a minute in a week, of which none should be told by chance
     * @param calibration windows of past readings before any is judged: those of a day, whose hours differ in how restless they are
     * @param coolDownWindows after an alarm in which only escalation is one: 12
     * @param escalation how many times worse that is: 2
     * @param clearShare of their limits below which channels are quiet again: half, so that a series at the limit does not flap
     * @param clearWindows that must be quiet in a row: 3
     * @param acceptAfter how long an anomaly lasts before it is the new level: an hour, as for drift
     * @param staleWindows without a value until a series is stale: 3
     * @param leastValues values (requests) that a window must have to be judged: 30; fewer say nothing of a quantile
     */
    public record Alarms(
            double alone,
            double together,
            double told,
            Duration calibration,
            int coolDownWindows,
            double escalation,
            double clearShare,
            int clearWindows,
            Duration acceptAfter,
            int staleWindows,
            int leastValues) {
        Alarms toldAt(double p) {
            return new Alarms(
                    alone,
                    together,
                    p,
                    calibration,
                    coolDownWindows,
                    escalation,
                    clearShare,
                    clearWindows,
                    acceptAfter,
                    staleWindows,
                    leastValues);
        }
    }
}
