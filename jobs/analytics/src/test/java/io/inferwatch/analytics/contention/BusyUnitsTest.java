package io.inferwatch.analytics.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BusyUnitsTest {
    @Test
    void timeByUnitsBusyAtOnce() {
        BusyUnits units = new BusyUnits();
        units.add(Set.of(), 10);
        units.add(Set.of("text"), 40);
        units.add(Set.of("text", "image"), 30);
        units.add(Set.of("text", "image", "audio"), 20);
        assertThat(units.byUnit())
                .isEqualTo(Map.of(
                        "text", new BusyUnits.Time(40, 50),
                        "image", new BusyUnits.Time(0, 50),
                        "audio", new BusyUnits.Time(0, 20)));
        assertThat(units.share(0)).hasValue(1);
        assertThat(units.share(1)).hasValue(0.9);
        assertThat(units.share(2)).hasValue(0.5);
        assertThat(units.share(3)).hasValue(0.2);
        assertThat(units.share(4)).hasValue(0);
        // (40 + 2 * 30 + 3 * 20) / 100.
        assertThat(units.mean().orElseThrow()).isCloseTo(1.6, within(1e-12));
    }

    @Test
    void mergedIsTheSameAsAdded() {
        BusyUnits one = new BusyUnits();
        one.add(Set.of("text"), 3);
        BusyUnits two = new BusyUnits();
        two.add(Set.of("text", "image"), 5);
        two.add(Set.of("text"), 1);
        one.merge(two);
        assertThat(one.byUnit()).isEqualTo(Map.of("text", new BusyUnits.Time(4, 5), "image", new BusyUnits.Time(0, 5)));
        assertThat(one.share(2).orElseThrow()).isCloseTo(5 / 9.0, within(1e-12));
    }

    @Test
    void withoutTimeNothingIsShared() {
        assertThat(new BusyUnits().share(1)).isEmpty();
        assertThat(new BusyUnits().mean()).isEmpty();
        assertThatThrownBy(() -> new BusyUnits().add(Set.of("text"), 0))
                .hasMessage("windowMicros: must be above 0, found 0");
    }
}
