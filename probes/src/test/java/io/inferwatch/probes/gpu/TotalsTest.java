package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private final Totals totals = new Totals();

    @Test
    void countsFromTheFirstReading() {
        assertThat(totals.grow("energy", 1_000)).isZero();
        assertThat(totals.grow("energy", 1_250)).isEqualTo(250);
        assertThat(totals.grow("energy", 1_250)).isEqualTo(250);
    }

    @Test
    void aCounterThatFallsBeganAnewAtZero() {
        totals.grow("energy", 1_000);
        totals.grow("energy", 1_100);
        assertThat(totals.grow("energy", 30)).isEqualTo(130);
        assertThat(totals.grow("energy", 40)).isEqualTo(140);
    }

    @Test
    void countersOfOneTotalComeAndGo() {
        totals.grow("cpu", "a", 100);
        totals.grow("cpu", "a", 110);
        assertThat(totals.grow("cpu", "b", 9_000))
                .as("from its own first reading")
                .isEqualTo(10);
        totals.keepOnly("cpu", Set.of("b"));
        assertThat(totals.grow("cpu", "b", 9_005)).isEqualTo(15);
        assertThat(totals.grow("cpu", "a", 50))
                .as("forgotten, hence a first reading")
                .isEqualTo(15);
    }
}
