package io.inferwatch.analytics.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.graphs.JitterStudy.Insufficient;
import io.inferwatch.analytics.graphs.JitterStudy.Randomised;
import io.inferwatch.analytics.shape.Estimate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureArmTest {
    /** Ten replicas with a hundred captures each. */
    @ParameterizedTest
    @ValueSource(ints = {0, 185, 12})
    void policiesHaveTheirPublishedFigures(int failures) {
        CaptureArm arm = arm(failures);
        assertThat(arm.captures()).isEqualTo(new CaptureCounts(1_000, failures));
        Estimate share = arm.captures().failureShare().orElseThrow();
        assertThat(share.value()).isEqualTo(failures / 1_000.0);
        assertThat(share.low()).isLessThanOrEqualTo(share.value());
    }

    /**
     * Computed by SciPy 1.17 from the definition. The policy was dealt out, so it is the cause; an arm that never fails is compared all the same.
     */
    @Test
    void policiesThatWereDealtOutAreCompared() {
        CaptureArm fixed = arm(0);
        CaptureArm dynamic = arm(185);
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
        JitterStudy study = JitterStudy.randomised(new CaptureArm(one), new CaptureArm(two));
        assertThat(study.wording()).isEqualTo(Wording.NO_ASSOCIATION);
    }

    @Test
    void fewFailuresAndFewReplicasAreInsufficient() {
        List<CaptureCounts> five = List.of(
                new CaptureCounts(10, 5),
                new CaptureCounts(10, 4),
                new CaptureCounts(10, 5),
                new CaptureCounts(10, 3),
                new CaptureCounts(10, 2));
        List<CaptureCounts> never = five.stream()
                .map(counts -> new CaptureCounts(counts.attempts(), 0))
                .toList();
        CaptureArm failing = new CaptureArm(five);
        // 19 failures are too few, 38 are enough; a replica without captures is none.
        assertThat(JitterStudy.randomised(failing, new CaptureArm(never))).isEqualTo(new Insufficient(19, 10));
        assertThat(JitterStudy.randomised(failing, failing)).isInstanceOf(Randomised.class);
        List<CaptureCounts> four = new ArrayList<>(five.subList(0, 4));
        four.add(CaptureCounts.NONE);
        assertThat(JitterStudy.randomised(failing, new CaptureArm(four))).isEqualTo(new Insufficient(36, 9));
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

    private static CaptureArm arm(int failures) {
        List<CaptureCounts> replicas = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            // Spread unevenly, as 1, 2, 3 ... tenths of 55 each.
            long before = (long) failures * i * (i + 1) / 110;
            long after = (long) failures * (i + 1) * (i + 2) / 110;
            replicas.add(new CaptureCounts(100, after - before));
        }
        return new CaptureArm(replicas);
    }
}
