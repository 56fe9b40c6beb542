package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.shape.Estimate;
import java.util.List;
import java.util.Optional;

/**
 * Whether CUDA graphs fail to be captured where batches are restless, and how much may be said of it: the {@link Wording}, never without the
 * limits and the number of failures that it stands on.
 */
public sealed interface JitterStudy {
    /** Fewer failures fit any story. */
    int MIN_FAILURES = 20;

    /** Fewer replicas with failures do not show how replicas differ. */
    int MIN_REPLICAS = 10;

    /** All that may be said. */
    Wording wording();

    /** Failed captures that it stands on. */
    long failures();

    /** Replicas that tell something. */
    int replicas();

    /** Nothing may be said. */
    record Insufficient(long failures, int replicas) implements JitterStudy {
        @Override
        public Wording wording() {
            return Wording.INSUFFICIENT;
        }
    }

    /**
     * Replicas as they ran. All ratios are of failures per capture, for jitter that is greater by its own standard deviation within replicas.
     *
     * @param wording at most {@link Wording#PLACEBO_PASSED}
     * @param ratio for jitter greater in both windows before, free memory and load being the same
     * @param lags the same for each of them, the nearer one first
     * @param stratified for jitter above its median in the window before, against below, within model, version, class of uptime and quarter of
     *     free memory, without a model; empty where strata have one side only
     * @param forwardP of jitter foretelling no failures beyond their own past, free memory and load
     * @param reverseP of failures foretelling no jitter beyond its own past, free memory and load
     * @param placebo of jitter in the two windows after
     * @param mediation by way of new shapes; empty where these do not vary
     */
    record Observed(
            Wording wording,
            long failures,
            int replicas,
            Estimate ratio,
            List<Estimate> lags,
            Optional<Estimate> stratified,
            double forwardP,
            double reverseP,
            Placebo placebo,
            Optional<Mediation> mediation)
            implements JitterStudy {

        /** Refuses to call anything a cause. */
        public Observed {
            if (wording == Wording.CAUSE) {
                throw new IllegalArgumentException("wording: must be below CAUSE where nothing was randomised");
            }
            lags = List.copyOf(lags);
        }

        /**
         * By which ratio an unseen common cause would have to be tied to jitter and to failures, each, to move the nearer limit to 1
         * [VanderWeele and Ding 2017]; 1 where the limits hold 1.
         */
        public double eValue() {
            double limit = ratio.low() > 1 ? ratio.low() : ratio.high() < 1 ? 1 / ratio.high() : 1;
            return limit + Math.sqrt(limit * (limit - 1));
        }
    }

    /**
     * Replicas whose policy was dealt out at random.
     *
     * @param wording {@link Wording#CAUSE} or {@link Wording#NO_ASSOCIATION}
     * @param difference of the shares of captures that fail, the changed policy less the baseline, in points of 0.01
     */
    record Randomised(Wording wording, long failures, int replicas, Estimate difference) implements JitterStudy {}

    /** Studies replicas as they ran; the windows of each in order of time. */
    static JitterStudy observed(List<List<CaptureWindow>> replicas) {
        return new LaggedStudy(replicas).result();
    }

    /**
     * Compares two policies that were dealt out at random over replicas. The caller answers for the dealing: a policy that a person chose, or
     * that was rolled out node by node, is none.
     */
    static JitterStudy randomised(CaptureArm baseline, CaptureArm changed) {
        return ArmDifference.of(baseline, changed);
    }
}
