package io.inferwatch.analytics.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StateBytesTest {
    @Test
    void numbersOfAllSizesComeBackSeed5() {
        StateWriter out = new StateWriter();
        long[] numbers = {0, 1, 127, 128, 16_383, 16_384, Long.MAX_VALUE};
        long[] signed = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE};
        double[] reals = {0, -0.0, 1.5, Double.MIN_VALUE, Double.NEGATIVE_INFINITY};
        byte[] part = new byte[5_000];
        new SplittableRandom(5).nextBytes(part);
        out.numbers(numbers);
        for (long value : signed) {
            out.signed(value);
        }
        for (double value : reals) {
            out.real(value);
            out.single((float) value);
        }
        out.part(part);
        out.part(new byte[0]);
        StateReader in = new StateReader(out.toBytes());
        assertThat(in.numbers()).containsExactly(numbers);
        for (long value : signed) {
            assertThat(in.signed()).isEqualTo(value);
        }
        for (double value : reals) {
            assertThat(in.real()).isEqualTo(value);
            assertThat(in.single()).isEqualTo((float) value);
        }
        assertThat(in.part()).isEqualTo(part);
        assertThat(in.part()).isEmpty();
    }
}
