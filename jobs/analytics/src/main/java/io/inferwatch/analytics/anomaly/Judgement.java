package io.inferwatch.analytics.anomaly;

import java.util.Optional;

/**
 * What is said of a window, with the evidence.
 *
 * @param state how the series stands
 * @param alarm whether it is to be told now: an anomaly has begun, or has become twice as bad
 * @param accepted whether what was anomalous is the level from now on
 * @param score from 0 to 1; 0.22 is at a channel's limit
 * @param p chance of the strangest reading if all were as before, over all channels together; 1 while learning
 * @param evidence absent while learning and when stale
 */
public record Judgement(
        State state, boolean alarm, boolean accepted, double score, double p, Optional<Evidence> evidence) {
    static final Judgement LEARNING = new Judgement(State.LEARNING, false, false, 0, 1, Optional.empty());
    static final Judgement STALE = new Judgement(State.STALE, false, false, 0, 1, Optional.empty());

    /**
     * Why.
     *
     * @param sense the channel that finds it strangest, by its own limit
     * @param expectedLow what a value is hardly ever below at this hour
     * @param expectedHigh what it is hardly ever above
     * @param observed the value
     */
    public record Evidence(Sense sense, double expectedLow, double expectedHigh, double observed) {}
}
