package io.inferwatch.analytics.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Moments;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SideBySideTest {
    @Test
    void threeSourcesAndHowFarTheyAreApart() {
        SideBySide decode = new SideBySide(Map.of(
                TimingSource.CUDA_EVENTS, new CallTimes(1_000, 400_000, null),
                TimingSource.KINETO, new CallTimes(500, 210_000, null),
                TimingSource.NSIGHT_COMPUTE, new CallTimes(10, 5_000, null)));
        // 400, 420 and 500 ns a call.
        assertThat(decode.disagreement().orElseThrow()).isCloseTo(0.25, within(1e-12));
        assertThat(decode.compare(TimingSource.CUDA_EVENTS, TimingSource.KINETO))
                .as("totals alone have no limits")
                .isEmpty();
    }

    /** The same numbers as of a Welch test computed by SciPy 1.17: 200 calls of 100 ns and variance 2,500, 50 of 110 and 3,600. */
    @Test
    void callsThatAreToldOneByOneAreComparedWithLimits() {
        SideBySide attention = new SideBySide(Map.of(
                TimingSource.CUDA_EVENTS, new CallTimes(200, 20_000, new Moments(200, 100, 2_500)),
                TimingSource.KINETO, new CallTimes(50, 5_500, new Moments(50, 110, 3_600))));
        Measured measured = (Measured)
                attention.compare(TimingSource.CUDA_EVENTS, TimingSource.KINETO).orElseThrow();
        assertThat(measured.change()).isCloseTo(0.1, within(1e-12));
        assertThat(measured.low()).isCloseTo(-0.07122363319324719, within(1e-9));
        assertThat(measured.high()).isCloseTo(0.30278939392065796, within(1e-9));
        assertThat(attention.compare(TimingSource.CUDA_EVENTS, TimingSource.NSIGHT_COMPUTE))
                .isEmpty();
    }

    @Test
    void oneSourceDisagreesWithNobody() {
        assertThat(new SideBySide(Map.of(TimingSource.KINETO, new CallTimes(1, 5, null))).disagreement())
                .isEmpty();
        assertThat(new SideBySide(Map.of()).disagreement()).isEmpty();
        assertThatThrownBy(() -> new CallTimes(0, 5, null))
                .hasMessage("calls, totalNanos: must be at least 1 and 0, found 0 and 5");
    }
}
