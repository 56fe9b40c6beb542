package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to bytes on their way, decoding yields a sketch that is whole or an IllegalArgumentException. */
class SketchEncodingFuzzTest {
    private static final int ROUNDS = 50_000;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void mutatedBytesAreReadOrRefused(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Values[] kinds = Values.values();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            QuantileSketch sketch = new QuantileSketch();
            int n = random.nextInt(10) == 0 ? random.nextInt(1_000) : random.nextInt(40);
            Arrays.stream(kinds[random.nextInt(kinds.length)].draw(n, round)).forEach(sketch::add);
            byte[] bytes = mutate(SketchEncoding.encode(sketch), random);
            try {
                QuantileSketch decoded = SketchEncoding.decode(bytes);
                // What is taken is whole: it can be read, merged and written again to the same bytes.
                if (decoded.n() > 0) {
                    double[] quantiles = decoded.quantiles(0, 0.5, 1);
                    assertThat(quantiles[0]).isBetween((double) decoded.min(), (double) decoded.max());
                }
                QuantileSketch merged = new QuantileSketch();
                merged.merge(decoded);
                assertThat(SketchEncoding.encode(merged)).isEqualTo(SketchEncoding.encode(decoded));
            } catch (IllegalArgumentException e) {
                refused++;
                assertThat(e).hasMessageStartingWith("sketch");
            } catch (RuntimeException | Error e) {
                fail("round " + round + " of seed " + seed + ": " + Arrays.toString(bytes), e);
            }
        }
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    private static byte[] mutate(byte[] bytes, SplittableRandom random) {
        byte[] mutated = bytes;
        for (int i = random.nextInt(1, 4); i > 0 && mutated.length > 0; i--) {
            int at = random.nextInt(mutated.length);
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
