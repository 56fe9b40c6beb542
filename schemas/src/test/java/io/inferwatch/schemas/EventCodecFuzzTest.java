package io.inferwatch.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to bytes on their way, decoding yields an event or says why not. */
class EventCodecFuzzTest {
    private static final int ROUNDS = 10_000;

    private final EventCodec codec = new EventCodec();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void mutatedEventsAreReadOrRefused(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RandomEvents events = new RandomEvents(seed);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Schema schema = ReleasedSchemas.present()
                    .get(random.nextInt(ReleasedSchemas.present().size()));
            byte[] bytes = mutate(codec.encode(events.next(schema)), random);
            try {
                SpecificRecord event = codec.decode(bytes);
                assertThat(codec.encode(event)).isNotEmpty();
            } catch (UndecodableEventException e) {
                refused++;
                assertThat(e).hasMessageMatching("(?s)(header|schema fingerprint|record|body): .+");
            } catch (RuntimeException | Error e) {
                fail("round " + round + " of seed " + seed + ": " + Arrays.toString(bytes), e);
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 4);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void noiseIsRefused(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            try {
                codec.decode(bytes);
                fail("round " + round + " of seed " + seed + " was taken for an event: " + Arrays.toString(bytes));
            } catch (UndecodableEventException e) {
                assertThat(e.reason()).isNotNull();
            }
        }
    }

    /** Changes the body, and in one of eight rounds the header too. */
    private static byte[] mutate(byte[] bytes, SplittableRandom random) {
        int from = random.nextInt(8) == 0 ? 0 : EventCodec.HEADER_BYTES;
        byte[] mutated = bytes;
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            if (mutated.length <= from) {
                return mutated;
            }
            int at = random.nextInt(from, mutated.length);
            switch (random.nextInt(4)) {
                case 0 -> mutated[at] = (byte) random.nextInt(256);
                case 1 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> mutated = Arrays.copyOf(mutated, at);
                default -> {
                    byte[] longer = Arrays.copyOf(mutated, mutated.length + 1);
                    System.arraycopy(mutated, at, longer, at + 1, mutated.length - at);
                    longer[at] = (byte) random.nextInt(256);
                    mutated = longer;
                }
            }
        }
        return mutated;
    }
}
