package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.read;
import static io.inferwatch.probes.replay.TraceFixtures.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that cannot be replayed: one message each, which names place, rule and value. */
class BadTraceTest {
    private static final String AZURE_HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    private static final String AZURE_ROW = "2023-11-16 18:17:03.0010000,10,1\n";

    @TempDir
    private Path directory;

    @Test
    void aTruncatedGzipIsRefusedAndSaysHowFarItGoes() throws IOException {
        byte[] whole = Files.readAllBytes(TraceFixtures.agentic());
        Path file = Files.write(directory.resolve("cut.csv.gz"), Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> read(TraceFormat.AGENTIC, file))
                .isInstanceOf(BadTraceException.class)
                .hasMessageMatching(
                        ".*cut\\.csv\\.gz: must be a whole gzip file, found its end missing after line \\d{4,}");
    }

    @Test
    void aDamagedGzipIsRefused() throws IOException {
        byte[] bytes = gzip(AZURE_HEADER + AZURE_ROW.repeat(100));
        bytes[bytes.length - 6] ^= 0x55;
        Path file = Files.write(directory.resolve("damaged.gz"), bytes);
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .isInstanceOf(BadTraceException.class)
                .hasMessageContaining("damaged.gz: must be a whole gzip file, found it damaged");
    }

    @Test
    void gzipIsKnownByItsBytesWhateverTheName() throws IOException {
        Path file = Files.write(directory.resolve("plain.csv"), gzip(AZURE_HEADER + AZURE_ROW));
        assertThat(read(TraceFormat.AZURE, file).size()).isEqualTo(1);
    }

    @Test
    void aMissingColumnIsNamedTogetherWithThoseThatAreThere() {
        Path file = write(directory, "azure.csv", "TIMESTAMP,ContextTokens\n2023-11-16 18:17:03,10\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .isInstanceOf(BadTraceException.class)
                .hasMessage(file + ":1: column 'GeneratedTokens': must be there, found 'TIMESTAMP', 'ContextTokens'");
    }

    @Test
    void aColumnThatIsThereTwiceIsRefused() {
        Path file = write(directory, "azure.csv", "TIMESTAMP,ContextTokens,ContextTokens,GeneratedTokens\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .hasMessage(file + ":1: column 'ContextTokens': must be there once, found twice");
    }

    @Test
    void aNumberThatIsNoneIsShownWithItsPlaceAndRule() {
        Path file = write(directory, "azure.csv", AZURE_HEADER + AZURE_ROW + "2023-11-16 18:17:04,ten,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .hasMessage(file + ":3: ContextTokens: must be a number, found 'ten'");
    }

    @Test
    void countsMustBeWholeAndNotNegative() {
        Path fraction = write(directory, "fraction.csv", AZURE_HEADER + "2023-11-16 18:17:04,1.5,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, fraction))
                .hasMessage(fraction + ":2: ContextTokens: must be a whole number, found '1.5'");
        Path negative = write(directory, "negative.csv", AZURE_HEADER + "2023-11-16 18:17:04,-1,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, negative))
                .hasMessage(negative + ":2: ContextTokens: must be at least 0, found '-1'");
        Path huge = write(directory, "huge.csv", AZURE_HEADER + "2023-11-16 18:17:04,1e999999999,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, huge))
                .hasMessage(huge + ":2: ContextTokens: must be a number of sensible size, found '1e999999999'");
    }

    @Test
    void aTimeThatIsNoneIsShownWithAnExample() {
        Path file = write(directory, "azure.csv", AZURE_HEADER + "16.11.2023,1,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .hasMessage(
                        file + ":2: TIMESTAMP: must be a time like 2023-11-16 18:17:03.9799600, found '16.11.2023'");
    }

    @Test
    void aRowWithTooFewValuesIsRefused() {
        Path file = write(directory, "azure.csv", AZURE_HEADER + AZURE_ROW + "2023-11-16 18:17:04,10");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .hasMessage(file + ":3: must have 3 values like the header, found 2");
    }

    @Test
    void badQuotingIsRefused() {
        Path file = write(directory, "azure.csv", AZURE_HEADER + "\"2023-11-16\"x,10,1\n");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file))
                .isInstanceOf(BadTraceException.class)
                .hasMessageContaining("azure.csv:2: must be CSV, found:");
    }

    @Test
    void anEmptyFileAndOneWithoutRowsAreRefused() {
        Path empty = write(directory, "empty.csv", "");
        assertThatThrownBy(() -> read(TraceFormat.AZURE, empty))
                .hasMessage(empty + ": must begin with a header, found an empty file");
        Path header = write(directory, "header.csv", AZURE_HEADER);
        assertThatThrownBy(() -> read(TraceFormat.AZURE, header))
                .hasMessageContaining("must hold requests, found none");
    }

    @Test
    void aMissingFileIsRefused() {
        assertThatThrownBy(() -> read(TraceFormat.AZURE, directory.resolve("nowhere.csv")))
                .hasMessage(directory.resolve("nowhere.csv") + ": must be a file, found nothing there");
    }

    @Test
    void otherEncodingsThanUtf8AreRefused() throws IOException {
        Path file = Files.write(
                directory.resolve("latin1.csv"), (AZURE_HEADER + "größe,1,1\n").getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> read(TraceFormat.AZURE, file)).hasMessageContaining("must be text in UTF-8");
    }

    @Test
    void aByteOrderMarkIsPassedOver() {
        Path file = write(directory, "bom.csv", "\uFEFF" + AZURE_HEADER + AZURE_ROW);
        assertThat(read(TraceFormat.AZURE, file).size()).isEqualTo(1);
    }

    @Test
    void aLineThatIsNoJsonObjectIsShown() {
        Path file = write(directory, "m.jsonl", "{\"timestamp\": 1, \"input_length\": 5, \"output_length\": 1}\n[1]\n");
        assertThatThrownBy(() -> read(TraceFormat.MOONCAKE, file))
                .hasMessage(file + ":2: must be a JSON object, found '[1]'");
        Path half = write(directory, "half.jsonl", "{\"timestamp\": 1, \"inp");
        assertThatThrownBy(() -> read(TraceFormat.MOONCAKE, half))
                .hasMessageStartingWith(half + ":1: must be a JSON object, found '{\"timestamp\": 1, \"inp'");
    }

    @Test
    void anUnknownFieldOfAnEventNamesTheNearestKnownOne() {
        Path file = write(directory, "e.jsonl", "{\"completedAtMicros\": 1, \"outcome\": \"OK\", \"ttftMicro\": 3}\n");
        assertThatThrownBy(() -> read(TraceFormat.JSONL, file))
                .hasMessage(file + ":1: 'ttftMicro': unknown field, did you mean 'ttftMicros'?");
    }

    @Test
    void eventsMustHaveTheirEndAndOutcomeAndTheRightTypes() {
        Path noEnd = write(directory, "e1.jsonl", "{\"outcome\": \"OK\"}\n");
        assertThatThrownBy(() -> read(TraceFormat.JSONL, noEnd))
                .hasMessage(noEnd + ":1: completedAtMicros: must be there, found no value");
        Path outcome = write(directory, "e2.jsonl", "{\"completedAtMicros\": 1, \"outcome\": \"GOOD\"}\n");
        assertThatThrownBy(() -> read(TraceFormat.JSONL, outcome))
                .hasMessageStartingWith(outcome + ":1: outcome: must be one of OK, LENGTH,")
                .hasMessageEndingWith("found \"GOOD\"");
        Path fraction = write(directory, "e3.jsonl", "{\"completedAtMicros\": 1.5, \"outcome\": \"OK\"}\n");
        assertThatThrownBy(() -> read(TraceFormat.JSONL, fraction))
                .hasMessage(fraction + ":1: completedAtMicros: must be a whole number, found 1.5");
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
