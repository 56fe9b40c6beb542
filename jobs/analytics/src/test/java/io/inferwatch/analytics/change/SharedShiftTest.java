package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.change.SharedShift.Shift;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedShiftTest {
    private static final Shift ONE = new Shift("scheduler", "node-3", 1_000, 2_000, 0.06);

    private static boolean isShared(Shift other) {
        return !SharedShift.of(List.of(ONE, other)).isEmpty();
    }

    @Test
    void programsThatChangeAlikeAtOnePlaceAndTimeBlameThePlace() {
        assertThat(SharedShift.of(List.of(
                        ONE,
                        new Shift("tokenizer", "node-4", 1_500, 1_600, 0.06),
                        new Shift("kernels", "node-3", 1_900, 2_600, 0.05))))
                .containsExactly(0, 2);
    }

    @Test
    void whatDiffersInAnythingIsTheSoftwaresOwn() {
        assertThat(isShared(new Shift("kernels", "node-3", 1_900, 2_600, 0.05))).isTrue();
        assertThat(isShared(new Shift("scheduler", "node-3", 1_900, 2_600, 0.05)))
                .isFalse();
        assertThat(isShared(new Shift("kernels", "node-4", 1_900, 2_600, 0.05))).isFalse();
        assertThat(isShared(new Shift("kernels", "node-3", 2_001, 2_600, 0.05))).isFalse();
        assertThat(isShared(new Shift("kernels", "node-3", 1_900, 2_600, -0.05)))
                .isFalse();
        assertThat(isShared(new Shift("kernels", "node-3", 1_900, 2_600, 0.50))).isFalse();
    }
}
