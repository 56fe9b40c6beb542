package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkScannerTest {
    private static final String CHUNKS = "5\r\nhello\r\n0000A;name=\"v;0\"\r\n0\r\n\r\n 2345\r\n2 ; x\r\n\r\n\r\n";
    private static final String DATA = "hello" + "0\r\n\r\n 2345" + "\r\n";

    private final StringBuilder data = new StringBuilder();
    private final ChunkScanner scanner = new ChunkScanner(
            (bytes, offset, length) -> data.append(bytes.toString(offset, length, StandardCharsets.ISO_8859_1)));

    @Test
    void findsTheDataAndTheLastChunkWhereverTheBodyIsCut() {
        String body = CHUNKS + "000;last\r\nX-Trailer: 1\r\n\r\n";
        for (int first = 0; first <= body.length(); first++) {
            for (int second = first; second <= body.length(); second++) {
                data.setLength(0);
                scanner.reset();
                int taken = 0;
                for (int end : new int[] {first, second, body.length()}) {
                    if (end > taken) {
                        taken += scanner.scan(buffer(body.substring(taken, end)));
                    }
                }
                assertThat(taken).as("cut at %d and %d", first, second).isEqualTo(CHUNKS.length());
                assertThat(data).hasToString(DATA);
                assertThat(scanner.isGarbled()).isFalse();
            }
        }
    }

    @Test
    void takesTheGreatestLengthAndRefusesAGreaterOne() {
        assertThat(scanner.scan(buffer("fffffffffffffff\r\nabc"))).isEqualTo(20);
        assertThat(scanner.isGarbled()).isFalse();
        assertThat(data).hasToString("abc");
        scanner.reset();
        scanner.scan(buffer("1000000000000000\r\nabc"));
        assertThat(scanner.isGarbled()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n",
                "\r\n",
                ";a\r\n",
                "5\nhello",
                "5;a\nhello",
                "5\rhello",
                "5x\r\n",
                "1\r\nab",
                "1\r\na\n",
                "1\r\na\rb",
                "-1\r\na"
            })
    void whatAnotherReaderCouldTakeForOtherChunksIsGarbled(String bytes) {
        scanner.scan(buffer(bytes));
        assertThat(scanner.isGarbled()).isTrue();
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }
}
