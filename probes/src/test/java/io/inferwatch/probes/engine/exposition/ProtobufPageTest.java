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
