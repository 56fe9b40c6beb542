package io.inferwatch.analytics.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NearTest {
    @Test
    void commandsNameProcessorsAndNode() {
        Near near = new Near("32-63,96-127", 1);
        assertThat(near.bind(4711)).isEqualTo("taskset -acp 32-63,96-127 4711");
        assertThat(near.start()).contains("numactl --cpunodebind=1 --membind=1");
        assertThat(new Near("0", null).start()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0-3; rm -rf /", "0,,1", "$(id)", "-1", "0-3\n4"})
    void nothingElseGetsIntoACommand(String cpus) {
        assertThatThrownBy(() -> new Near(cpus, 1)).hasMessage("cpus: must be a list like 0-31,64-95, found " + cpus);
    }

    @Test
    void aNodeIsNotNegative() {
        assertThatThrownBy(() -> new Near("0", -1)).hasMessage("numaNode: must be at least 0, found -1");
    }
}
