package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SketchEncodingTest {
    @ParameterizedTest
    @EnumSource(Values.class)
    void whatIsDecodedIsWhatWasEncoded(Values kind) {
        for (int n : new int[] {0, 1, 2, 127, 128, 129, 5_000}) {
            QuantileSketch sketch = sketchOf(kind.draw(n, n));
            byte[] bytes = SketchEncoding.encode(sketch);
            QuantileSketch decoded = SketchEncoding.decode(bytes);
            assertThat(decoded.n()).isEqualTo(n);
            assertThat(decoded.zeros()).isEqualTo(sketch.zeros());
            assertThat(decoded.sum()).isEqualTo(sketch.sum());
            if (n > 0) {
                assertThat(decoded.min()).isEqualTo(sketch.min());
                assertThat(decoded.max()).isEqualTo(sketch.max());
                assertThat(decoded.quantiles(0, 0.5, 0.9, 0.99, 1)).isEqualTo(sketch.quantiles(0, 0.5, 0.9, 0.99, 1));
            }
            assertThat(SketchEncoding.encode(decoded)).isEqualTo(bytes);
        }
    }

    @Test
    void aDecodedSketchGoesOnGrowing() {
        for (int n : new int[] {0, 3, 128, 4_000}) {
            long[] values = Values.EXPONENTIAL.draw(n + 500, 5);
            QuantileSketch decoded = SketchEncoding.decode(SketchEncoding.encode(sketchOf(Arrays.copyOf(values, n))));
            Arrays.stream(values, n, n + 500).forEach(decoded::add);
            assertThat(SketchEncoding.encode(decoded)).isEqualTo(SketchEncoding.encode(sketchOf(values)));
        }
    }

    @Test
    void aPartOfAnArrayIsDecoded() {
        byte[] bytes = SketchEncoding.encode(sketchOf(Values.LINEAR.draw(300, 1)));
        byte[] around = new byte[bytes.length + 7];
        Arrays.fill(around, (byte) 0x55);
        System.arraycopy(bytes, 0, around, 3, bytes.length);
        assertThat(SketchEncoding.encode(SketchEncoding.decode(around, 3, bytes.length)))
                .isEqualTo(bytes);
        assertThatThrownBy(() -> SketchEncoding.decode(around, 3, around.length))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void theBytesAreAsDescribed() {
        // 0, 1, 1, 2: n 4, one zero, sum 4, min 0, max 2; bucket 0 twice, and after 92 empty ones bucket 93
        // (ln 2 / ln 1.03^(1/4) = 93.8) once.
        assertThat(HexFormat.of().formatHex(SketchEncoding.encode(sketchOf(new long[] {0, 1, 1, 2}))))
                .isEqualTo("01" + "04" + "01" + "04" + "00" + "02" + "0002" + "b80101");
        QuantileSketch sketch = sketchOf(new long[] {
            (long) LogBuckets.lowerBound(2000) + 1,
            (long) LogBuckets.lowerBound(2001) + 1,
            (long) LogBuckets.lowerBound(2003) + 1,
            (long) LogBuckets.lowerBound(2006) + 1
        });
        byte[] bytes = SketchEncoding.encode(sketch);
        // 2,000 empty, a group of 4 (1, 1, 0, 1), 2 empty, 1.
        assertThat(HexFormat.of().formatHex(bytes)).endsWith("a11f" + "04" + "01010001" + "04" + "01");
        assertThat(SketchEncoding.encode(new QuantileSketch())).isEqualTo(new byte[] {1, 0, 0, 0});
    }

    /** Sizes that README and capacity planning rest on; latencies in microseconds. */
    @ParameterizedTest
    @CsvSource({"10, 45", "100, 240", "1000, 600", "10000, 750", "1000000, 1800"})
    void sizesStayWithinWhatIsPlanned(int n, int mostBytes) {
        assertThat(SketchEncoding.encode(sketchOf(Values.LOGNORMAL.draw(n, 1))).length)
                .isBetween(10, mostBytes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    -                          | sketch version: must be 1, found nothing
                    02000000                   | sketch version: must be 1, found 2
                    01                         | sketch: breaks off within its numbers
                    0104010400                 | sketch: breaks off within its numbers
                    010401040002               | sketch: breaks off within its numbers
                    0104010400020002b801       | sketch: breaks off within its numbers
                    010000000000               | sketch: 2 bytes are left over
                    01000001                   | sketch sum: must be 0 when n is, found 1
                    0101020000                 | sketch n: must be at most 2^53 and not below its zeros, found 1 and 2
                    01ffffffffffffffff7f00     | sketch: breaks off within its numbers
                    01ffffffffffffffff7f0000   | sketch n: must be at most 2^53 and not below its zeros, found 9223372036854775807 and 0
                    01ffffffffffffffffff01     | sketch: a number has more than 63 bits
                    010401040102               | sketch totals: must agree, found n 4, zeros 1, sum 4, min 1, max 3
                    010401010002               | sketch totals: must agree, found n 4, zeros 1, sum 1, min 0, max 2
                    010401040000               | sketch totals: must agree, found n 4, zeros 1, sum 4, min 0, max 0
                    0104010400020002ba0101     | sketch bucket: must be at most the greatest value's 93, found a group of 1 after 93 empty ones from 1
                    01040104000200020100       | sketch bucket: must be at most the greatest value's 93, found a group of 0 after 0 empty ones from 1
                    0104010400020002b60101     | sketch buckets: must reach from least to greatest value 0 to 2, found bucket 92 as the last
                    0104010400020004b80101     | sketch count: must be from 1 to the 3 values that are left, found 4
                    0104010400020000b80101     | sketch count: must be from 1 to the 3 values that are left, found 0
                    0104010400020103010000     | sketch count: must be from 1 to the 2 values that are left, found 0
                    0104010400020002b8010100   | sketch: 1 bytes are left over
                    0103000401010201b60102     | sketch buckets: must reach from least to greatest value 1 to 2, found bucket 1 as the first
                    """)
    void refusesBytesThatNoSketchHas(String hex, String message) {
        byte[] bytes = hex == null ? new byte[0] : HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> SketchEncoding.decode(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    private static QuantileSketch sketchOf(long[] values) {
        QuantileSketch sketch = new QuantileSketch();
        Arrays.stream(values).forEach(sketch::add);
        return sketch;
    }
}
