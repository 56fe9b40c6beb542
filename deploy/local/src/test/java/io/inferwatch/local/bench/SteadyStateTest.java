package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SteadyStateTest {
    @Test
    void isToldInALineAndReadFromTheMidstOfAnOutput() {
        SteadyState steady = new SteadyState(6_200_000, 4.5, 9.25, new ProcessorTime(7.75, 1.5, 9.0));
        SteadyState read = SteadyState.parse("12:00:00 WARN something\n" + steady.line() + "\nmore\n")
                .orElseThrow();
        assertThat(read).isEqualTo(steady);
        assertThat(read.rate()).isCloseTo(1_377_777.8, within(0.1));
        assertThat(read.cpuMicros()).isCloseTo(1.25, within(1e-9));
        assertThat(read.brokerMicros()).isCloseTo(0.2419, within(1e-4));
        // 9.0 - 7.75 - 1.5 is below zero by rounding of the kernel's ticks.
        assertThat(read.othersCores()).isZero();
    }

    @Test
    void isAbsentFromAnOutputThatBrokeOff() {
        assertThat(SteadyState.parse("Exception in thread main")).isEmpty();
    }
}
