package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThrottleReasonTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                "0x0|''|false",
                "0x1|gpu-idle|false",
                "0x2|applications-clocks-setting|false",
                "0x4|sw-power-cap|true",
                "0x48|hw-slowdown,hw-thermal-slowdown|true",
                "0x80|hw-power-brake-slowdown|true",
                "0x21|gpu-idle,sw-thermal-slowdown|true",
                "0x10|sync-boost|true",
                "0x100|display-clock-setting|false",
                "0x10001|gpu-idle,other|true"
            })
    void bitsHaveNamesAndSomeCostSpeed(String bits, String labels, boolean costsSpeed) {
        long reasons = Long.decode(bits);
        assertThat(String.join(",", ThrottleReason.labels(reasons))).isEqualTo(labels);
        assertThat(ThrottleReason.costsSpeed(reasons)).isEqualTo(costsSpeed);
    }
}
