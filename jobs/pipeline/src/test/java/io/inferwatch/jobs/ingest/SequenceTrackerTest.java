package io.inferwatch.jobs.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceTrackerTest {

    @Test
    void numbersInOrderAreNewOnceAndNothingIsMissing() {
        SequenceTracker tracker = new SequenceTracker();
        for (long i = 0; i < 1000; i++) {
            assertThat(tracker.see(i)).isTrue();
        }
        for (long i = 0; i < 1000; i++) {
            assertThat(tracker.see(i)).isFalse();
        }
        assertThat(tracker.missing()).isZero();
    }

    @Test
    void aHoleIsMissingUntilItsNumbersCome() {
        SequenceTracker tracker = new SequenceTracker();
        tracker.see(0);
        tracker.see(5);
        assertThat(tracker.missing()).isEqualTo(4);
        tracker.see(3);
        assertThat(tracker.missing()).isEqualTo(3);
        tracker.see(1);
        tracker.see(2);
        tracker.see(4);
        assertThat(tracker.missing()).isZero();
    }

    @Test
    void aHeartbeatShowsWhatIsMissingAtTheEnd() {
        SequenceTracker tracker = new SequenceTracker();
        tracker.see(0);
        tracker.expect(4);
        assertThat(tracker.missing()).isEqualTo(3);
    }

    @Test
    void whatLiesBeforeTheFirstSightIsNotMissing() {
        SequenceTracker seen = new SequenceTracker();
        seen.see(1_000);
        assertThat(seen.missing()).isZero();
        SequenceTracker expected = new SequenceTracker();
        expected.expect(1_000);
        assertThat(expected.missing()).isZero();
        expected.see(1_002);
        assertThat(expected.missing()).isEqualTo(2);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithASetOfAllNumbersSeenInAnyOrder(long seed) throws IOException {
        Random random = new Random(seed);
        List<Long> numbers = new ArrayList<>();
        for (long i = 0; i < 3_000; i++) {
            numbers.add(i);
            if (random.nextInt(5) == 0) {
                numbers.add(i);
            }
        }
        // Blocks out of order and a local shuffle, as a spool beside live events brings; holes stay below the limit of
        // ranges.
        Collections.rotate(numbers, random.nextInt(numbers.size()));
        for (int i = 0; i + 20 < numbers.size(); i += 20) {
            Collections.shuffle(numbers.subList(i, i + 20), random);
        }
        numbers.removeIf(n -> n % 97 == 0);

        SequenceTracker tracker = new SequenceTracker();
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < numbers.size(); i++) {
            long number = numbers.get(i);
            assertThat(tracker.see(number)).isEqualTo(seen.add(number));
            if (i == numbers.size() / 2) {
                tracker = written(tracker);
            }
        }
        long least = Collections.min(seen);
        long greatest = Collections.max(seen);
        assertThat(tracker.missing()).isEqualTo(greatest - least + 1 - seen.size());
        assertThat(tracker.lost()).isZero();
    }

    @Test
    void twoHalvesOfAStreamMergeIntoTheWhole() {
        SequenceTracker even = new SequenceTracker();
        SequenceTracker odd = new SequenceTracker();
        for (long i = 0; i < 200; i++) {
            (i % 2 == 0 ? even : odd).see(i);
        }
        even.merge(odd);
        assertThat(even.missing()).isZero();
        assertThat(even.see(57)).isFalse();
        assertThat(even.see(200)).isTrue();
    }

    @Test
    void beyondTheLimitOfHolesTheLowestIsLostAndSaysSo() {
        SequenceTracker tracker = new SequenceTracker();
        for (long i = 0; i < 300; i++) {
            tracker.see(2 * i);
        }
        assertThat(tracker.lost()).isEqualTo(300 - 256);
        assertThat(tracker.missing()).isEqualTo(255);
        assertThat(tracker.see(1)).as("given up, so taken for a repeat").isFalse();
        assertThat(tracker.see(597)).isTrue();
    }

    private static SequenceTracker written(SequenceTracker tracker) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        tracker.write(new DataOutputStream(bytes));
        return SequenceTracker.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }
}
