package io.inferwatch.probes.engine.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages written field by field, with the numbers of the published metrics.proto. */
class ProtobufPageTest {
    private static final int LIMIT = 1 << 20;

    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    @Test
    void gaugesCountersSummariesAndHistogramsAreTheSameAsInText() throws IncompletePageException {
        byte[] labels = message(out -> {
            out.writeString(1, "model_name");
            out.writeString(2, "a\"b\\c\nd");
        });
        byte[] page = concat(
                family("vllm:num_requests_running", 1, message(out -> {
                    out.writeByteArray(1, labels);
                    out.writeByteArray(2, message(gauge -> gauge.writeDouble(1, 3)));
                    out.writeInt64(6, 1_700_000_000_123L);
                })),
                family(
                        "t_total",
                        0,
                        message(out -> out.writeByteArray(3, message(counter -> counter.writeDouble(1, 1.5e300))))),
                family(
                        "u",
                        3,
                        message(out -> out.writeByteArray(5, message(value -> value.writeDouble(1, Double.NaN))))),
                family(
                        "s",
                        2,
                        message(out -> out.writeByteArray(4, message(summary -> {
                            summary.writeUInt64(1, 7);
                            summary.writeDouble(2, 2.5);
                            summary.writeByteArray(3, message(quantile -> {
                                quantile.writeDouble(1, 0.5);
                                quantile.writeDouble(2, 0.25);
                            }));
                        })))),
                family(
                        "h_seconds",
                        4,
                        message(out -> out.writeByteArray(7, message(histogram -> {
                            histogram.writeUInt64(1, 4);
                            histogram.writeDouble(2, 0.75);
                            histogram.writeByteArray(3, message(bucket -> {
                                bucket.writeUInt64(1, 3);
                                bucket.writeDouble(2, 0.1);
                            }));
                        })))));
        byte[] text = ProtobufPage.toText(page, 0, page.length, LIMIT);
        ReadPage read = new ReadPage().read(text, false);
        long none = PageReader.NO_TIME;
        assertThat(read.rejections()).isEmpty();
        assertThat(read.samples())
                .containsExactly(
                        new ReadPage.Sample(
                                "vllm:num_requests_running", Map.of("model_name", "a\"b\\c\nd"), 3, 1_700_000_000_123L),
                        new ReadPage.Sample("t_total", Map.of(), 1.5e300, none),
                        new ReadPage.Sample("u", Map.of(), Double.NaN, none),
                        new ReadPage.Sample("s", Map.of("quantile", "0.5"), 0.25, none),
                        new ReadPage.Sample("s_count", Map.of(), 7, none),
                        new ReadPage.Sample("s_sum", Map.of(), 2.5, none),
                        new ReadPage.Sample("h_seconds_bucket", Map.of("le", "0.1"), 3, none),
                        new ReadPage.Sample("h_seconds_bucket", Map.of("le", "+Inf"), 4, none),
                        new ReadPage.Sample("h_seconds_count", Map.of(), 4, none),
                        new ReadPage.Sample("h_seconds_sum", Map.of(), 0.75, none));
    }

    /** Schema 1: bounds are powers of the root of 2. Buckets 1 and 2 end at 1.41 and 2, bucket 5 at 5.66. */
    @Test
    void aNativeHistogramIsToldInCumulativeBucketsAtItsOwnBounds() throws IncompletePageException {
        byte[] page = family(
                "h_seconds",
                4,
                message(out -> out.writeByteArray(7, message(histogram -> {
                    histogram.writeUInt64(1, 21);
                    histogram.writeDouble(2, 40.5);
                    histogram.writeSInt32(5, 1);
                    histogram.writeDouble(6, 0x1p-128);
                    histogram.writeUInt64(7, 4);
                    histogram.writeByteArray(12, message(span -> {
                        span.writeSInt32(1, 1);
                        span.writeUInt32(2, 2);
                    }));
                    histogram.writeByteArray(12, message(span -> {
                        span.writeSInt32(1, 2);
                        span.writeUInt32(2, 1);
                    }));
                    // 3, 10 and 4 in the three buckets; 4 at zero.
                    histogram.writeSInt64(13, 3);
                    histogram.writeSInt64(13, 7);
                    histogram.writeSInt64(13, -6);
                }))));
        ReadPage read = new ReadPage().read(ProtobufPage.toText(page, 0, page.length, LIMIT), false);
        assertThat(read.rejections()).isEmpty();
        Map<Double, Double> buckets = buckets(read);
        // 37 octaves of two, both ends, and the open bucket.
        assertThat(buckets).hasSize(2 * 37 + 2);
        assertThat(buckets.get(1.0)).isEqualTo(4);
        assertThat(buckets.get(Math.sqrt(2))).isEqualTo(7);
        assertThat(buckets.get(2.0)).isEqualTo(17);
        assertThat(buckets.get(4.0)).isEqualTo(17);
        assertThat(buckets.get(4 * Math.sqrt(2))).isEqualTo(21);
        assertThat(buckets.get(0x1p20)).isEqualTo(21);
        assertThat(buckets.get(Double.POSITIVE_INFINITY)).isEqualTo(21);
        assertThat(read.value("h_seconds_count")).isEqualTo(21);
        assertThat(read.value("h_seconds_sum")).isEqualTo(40.5);
    }

    /** Observations are put into the buckets of schema 5 by their logarithms; every bound then has as many below it as the sorted observations say. */
    @Test
    void mergedBucketsCountTheObservationsBelowTheirBoundsSeed23() throws IncompletePageException {
        Random random = new Random(23);
        double[] observed = random.doubles(2_000, -30, 25)
                .map(octave -> Math.pow(2, octave))
                .toArray();
        TreeMap<Integer, Long> own = new TreeMap<>();
        for (double each : observed) {
            own.merge((int) Math.ceil(Math.log(each) / Math.log(2) * 32), 1L, Long::sum);
        }
        byte[] page = family(
                "h",
                4,
                message(out -> out.writeByteArray(7, message(histogram -> {
                    histogram.writeUInt64(1, observed.length);
                    histogram.writeSInt32(5, 5);
                    int after = 0;
                    for (int index : own.keySet()) {
                        int offset = index - after;
                        histogram.writeByteArray(12, message(span -> {
                            span.writeSInt32(1, offset);
                            span.writeUInt32(2, 1);
                        }));
                        after = index + 1;
                    }
                    // Packed, as newer writers do.
                    byte[] counts = message(packed -> {
                        for (long count : own.values()) {
                            packed.writeDoubleNoTag((double) count);
                        }
                    });
                    histogram.writeByteArray(14, counts);
                }))));
        Map<Double, Double> buckets =
                buckets(new ReadPage().read(ProtobufPage.toText(page, 0, page.length, LIMIT), false));
        assertThat(buckets).hasSize(8 * 37 + 2);
        buckets.forEach((bound, count) -> assertThat(count.longValue())
                .as("below %s", bound)
                .isEqualTo(Arrays.stream(observed).filter(each -> each <= bound).count()));
    }

    private static Map<Double, Double> buckets(ReadPage read) {
        Map<Double, Double> buckets = new TreeMap<>();
        read.samples().stream()
                .filter(sample -> sample.name().endsWith("_bucket"))
                .forEach(sample -> buckets.put(bound(sample.labels().get("le")), sample.value()));
        return buckets;
    }

    private static double bound(String le) {
        return le.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
    }

    @Test
    void aPageCutShortOrTooLongInTextCountsForNothing() {
        byte[] page = family("g", 1, message(out -> out.writeByteArray(2, message(gauge -> gauge.writeDouble(1, 3)))));
        for (int length = 1; length < page.length; length++) {
            int cut = length;
            assertThatThrownBy(() -> ProtobufPage.toText(page, 0, cut, LIMIT))
                    .isInstanceOf(IncompletePageException.class);
        }
        assertThatThrownBy(() -> ProtobufPage.toText(page, 0, page.length, 5))
                .hasMessage("a protobuf page must be at most 5 bytes in text");
    }

    @Test
    void noMutationThrowsAnythingElseSeed17() {
        byte[] whole = family("g", 1, message(out -> out.writeByteArray(2, message(gauge -> gauge.writeDouble(1, 3)))));
        Random random = new Random(17);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] mutant = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
            mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
            try {
                assertThat(ProtobufPage.toText(mutant, 0, mutant.length, LIMIT).length)
                        .isLessThanOrEqualTo(LIMIT);
            } catch (IncompletePageException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1, 20_000);
    }

    private static byte[] family(String name, int type, byte[] metric) {
        byte[] family = message(out -> {
            out.writeString(1, name);
            out.writeString(2, "help");
            out.writeEnum(3, type);
            out.writeByteArray(4, metric);
        });
        return message(out -> {
            out.writeUInt32NoTag(family.length);
            out.writeRawBytes(family);
        });
    }

    private static byte[] message(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            fields.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            whole.writeBytes(part);
        }
        return whole.toByteArray();
    }
}
