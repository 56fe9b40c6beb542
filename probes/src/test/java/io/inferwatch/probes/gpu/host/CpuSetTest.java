package io.inferwatch.probes.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {
    @ParameterizedTest
    @ValueSource(strings = {"0", "0-31,64-95", "3,5-6,9", "0-1023"})
    void isWrittenAsItWasRead(String list) {
        assertThat(CpuSet.parse(list)).map(CpuSet::toString).contains(list);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1-", "5-3", "0,,1", "-1", "0-999999", "f,ff"})
    void anythingElseIsNone(String text) {
        assertThat(CpuSet.parse(text)).isEmpty();
    }

    @Test
    void neighboursAreJoinedAndOneCommonProcessorIsEnough() {
        CpuSet set = CpuSet.parse("7,0-3,4").orElseThrow();
        assertThat(set).hasToString("0-4,7");
        assertThat(set.isDisjointFrom(CpuSet.parse("5-6,8").orElseThrow())).isTrue();
        assertThat(set.isDisjointFrom(CpuSet.parse("5-7").orElseThrow())).isFalse();
    }
}
