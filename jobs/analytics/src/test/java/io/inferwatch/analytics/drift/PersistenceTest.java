package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PersistenceTest {
    /** All sequences of eight windows, by the rule's own words over the whole sequence. */
    @Test
    void isConfirmedWithTwoOfThreeAndOverWithNoneOfThree() {
        for (int sequence = 0; sequence < 256; sequence++) {
            Persistence state = Persistence.NONE;
            boolean confirmed = false;
            for (int i = 0; i < 8; i++) {
                int lastThree = 0;
                for (int j = Math.max(0, i - 2); j <= i; j++) {
                    lastThree += sequence >> j & 1;
                }
                confirmed = lastThree >= 2 || (lastThree == 1 && confirmed);
                state = state.after((sequence >> i & 1) == 1 ? Verdict.DRIFT : Verdict.NO_DRIFT);
                assertThat(state.confirmed())
                        .as("%8s, window %d", Integer.toBinaryString(sequence), i)
                        .isEqualTo(confirmed);
                assertThat(Persistence.ofByte(state.toByte())).isEqualTo(state);
            }
        }
    }

    @Test
    void windowsWithoutAVerdictShowNoDrift() {
        for (Verdict verdict : new Verdict[] {Verdict.NO_DRIFT, Verdict.INCONCLUSIVE, Verdict.NOT_ESTIMABLE}) {
            Persistence confirmed =
                    Persistence.NONE.after(Verdict.DRIFT).after(verdict).after(Verdict.DRIFT);
            assertThat(confirmed.confirmed()).isTrue();
            assertThat(confirmed.after(verdict).after(verdict).confirmed()).isTrue();
            assertThat(confirmed.after(verdict).after(verdict).after(verdict)).isEqualTo(Persistence.NONE);
        }
    }

    /** Drift that it took eight units to show: a look at fewer could not have shown it, and says nothing against it. */
    @Test
    void looksThatCouldNotShowItDoNotCount() {
        Persistence shown = Persistence.NONE.after(Verdict.DRIFT, 8);
        assertThat(shown.after(Verdict.INCONCLUSIVE, 4)).isEqualTo(shown);
        assertThat(shown.after(Verdict.NOT_ESTIMABLE, 1)).isEqualTo(shown);
        assertThat(shown.after(Verdict.INCONCLUSIVE, 8).recent()).isEqualTo(0b10);
        assertThat(shown.after(Verdict.NO_DRIFT, 1).recent()).isEqualTo(0b10);
        Persistence again = shown.after(Verdict.INCONCLUSIVE, 4).after(Verdict.DRIFT, 2);
        assertThat(again).isEqualTo(new Persistence(0b11, true, 2));
        Persistence over = again;
        for (int i = 0; i < 3; i++) {
            assertThat(over.confirmed()).isTrue();
            over = over.after(Verdict.INCONCLUSIVE, 1).after(Verdict.INCONCLUSIVE, 2);
        }
        assertThat(over).isEqualTo(Persistence.NONE);
    }

    @Test
    void onlyBytesOfReachableStatesAreRead() {
        Set<Byte> reachable = new HashSet<>();
        Set<Persistence> open = new HashSet<>(Set.of(Persistence.NONE));
        while (!open.isEmpty()) {
            Persistence state = open.iterator().next();
            open.remove(state);
            if (reachable.add(state.toByte())) {
                for (int units = 1; units <= 128; units *= 2) {
                    open.add(state.after(Verdict.DRIFT, units));
                }
                open.add(state.after(Verdict.NO_DRIFT));
            }
        }
        for (int candidate = Byte.MIN_VALUE; candidate <= Byte.MAX_VALUE; candidate++) {
            byte state = (byte) candidate;
            if (reachable.contains(state)) {
                assertThat(Persistence.ofByte(state).toByte()).isEqualTo(state);
            } else {
                assertThatThrownBy(() -> Persistence.ofByte(state))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("persistence: must be a state that windows lead to, found ");
            }
        }
    }
}
