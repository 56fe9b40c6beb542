package io.inferwatch.analytics.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.graphs.JitterStudy.Insufficient;
import io.inferwatch.analytics.graphs.JitterStudy.Randomised;
import io.inferwatch.analytics.shape.Estimate;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaptureArmTest {
    /** Ten replicas with a hundred captures each, and steps around 20 ms whose standard deviation is the published jitter. */
    @ParameterizedTest
    @CsvSource({"fixed, 0, 0.02", "dynamic, 185, 1.87", "double-buffered, 12, 0.33"})
    void policiesHaveTheirPublishedFigures(String policy, int failures, double jitterMillis) {
        CaptureArm arm = arm(policy, failures, jitterMillis);
        assertThat(arm.captures()).isEqualTo(new CaptureCounts(1_000, failures));
        Estimate share = arm.captures().failureShare().orElseThrow();
        assertThat(share.value()).isEqualTo(failures / 1_000.0);
        assertThat(share.low()).isLessThanOrEqualTo(share.value());
        assertThat(arm.jitterNanos() / 1e6).isCloseTo(jitterMillis, within(jitterMillis * 0.001));
    }

    /**
     * Computed by SciPy 1.17 from the definition. The policy was dealt out, so it is the cause; an arm that never fails is compared all the same.
     */
    @Test
    void policiesThatWereDealtOutAreCompared() {
        CaptureArm fixed = arm("fixed", 0, 0.02);
        CaptureArm dynamic = arm("dynamic", 185, 1.87);
        Randomised study = (Randomised) JitterStudy.randomised(dynamic, fixed);
        assertThat(study.wording()).isEqualTo(Wording.CAUSE);
        assertThat(study.failures()).isEqualTo(185);
        assertThat(study.replicas()).isEqualTo(20);
        assertThat(study.difference().value()).isCloseTo(-0.185, within(1e-12));
        assertThat(study.difference().low()).isCloseTo(-0.25866979914434, within(1e-9));
        assertThat(study.difference().high()).isCloseTo(-0.11133020085565999, within(1e-9));
    }

    @Test
    void replicasThatDifferAsMuchAsArmsShowNothing() {
        List<CaptureCounts> one = new ArrayList<>();
        List<CaptureCounts> two = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            one.add(new CaptureCounts(100, i % 2 == 0 ? 40 : 0));
            two.add(new CaptureCounts(100, i % 3 == 0 ? 80 : 0));
        }
        Moments steps = new Moments(2, 1, 1);
        JitterStudy study = JitterStudy.randomised(new CaptureArm("a", one, steps), new CaptureArm("b", two, steps));
        assertThat(study.wording()).isEqualTo(Wording.NO_ASSOCIATION);
    }

    @Test
    void fewFailuresAndFewReplicasAreInsufficient() {
        Moments steps = new Moments(2, 1, 1);
        List<CaptureCounts> five = List.of(
                new CaptureCounts(10, 5),
                new CaptureCounts(10, 4),
                new CaptureCounts(10, 5),
                new CaptureCounts(10, 3),
                new CaptureCounts(10, 2));
        List<CaptureCounts> never = five.stream()
                .map(counts -> new CaptureCounts(counts.attempts(), 0))
                .toList();
        CaptureArm failing = new CaptureArm("a", five, steps);
        // 19 failures are too few, 38 are enough; a replica without captures is none.
        assertThat(JitterStudy.randomised(failing, new CaptureArm("b", never, steps)))
                .isEqualTo(new Insufficient(19, 10));
        assertThat(JitterStudy.randomised(failing, failing)).isInstanceOf(Randomised.class);
        List<CaptureCounts> four = new ArrayList<>(five.subList(0, 4));
        four.add(CaptureCounts.NONE);
        assertThat(JitterStudy.randomised(failing, new CaptureArm("b", four, steps)))
                .isEqualTo(new Insufficient(36, 9));
    }

    @Test
    void capturesAtStartUpAreKeptApart() {
        GraphUse use = GraphUse.of(new CaptureCounts(35, 1), false, 0, 0)
                .plus(GraphUse.of(new CaptureCounts(4, 2), true, 900, 100))
                .plus(GraphUse.of(new CaptureCounts(3, 0), true, 600, 0));
        assertThat(use.startUp()).isEqualTo(new CaptureCounts(35, 1));
        assertThat(use.lazy()).isEqualTo(new CaptureCounts(7, 2));
        assertThat(use.fallbackShare().orElseThrow()).isCloseTo(100 / 1_600.0, within(1e-12));
        assertThat(GraphUse.NONE.fallbackShare()).isEmpty();
        assertThat(CaptureCounts.NONE.failureShare()).isEmpty();
        assertThatThrownBy(() -> new CaptureCounts(2, 3))
                .hasMessage("failures: must be from 0 to the 2 attempts, found 3");
        assertThatThrownBy(() -> GraphUse.of(CaptureCounts.NONE, true, -1, 0))
                .hasMessage("graphSteps, eagerSteps: must be at least 0, found -1 and 0");
    }

    private static CaptureArm arm(String policy, int failures, double jitterMillis) {
        List<CaptureCounts> replicas = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            // Spread unevenly, as 1, 2, 3 ... tenths of 55 each.
            long before = (long) failures * i * (i + 1) / 110;
            long after = (long) failures * (i + 1) * (i + 2) / 110;
            replicas.add(new CaptureCounts(100, after - before));
        }
        int n = 10_000;
        double[] steps = new double[n];
        double mean = 0;
        for (int i = 0; i < n; i++) {
            double z = NormalDistribution.of(0, 1).inverseCumulativeProbability((i + 0.5) / n);
            steps[i] = 20e6 + jitterMillis * 1e6 * z;
            mean += steps[i] / n;
        }
        double squares = 0;
        for (double step : steps) {
            squares += (step - mean) * (step - mean);
        }
        return new CaptureArm(policy, replicas, new Moments(n, mean, squares / (n - 1)));
    }
}
