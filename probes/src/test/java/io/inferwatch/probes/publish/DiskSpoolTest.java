package io.inferwatch.probes.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpoolTest {
    @TempDir
    private Path directory;

    @Test
    void recordsComeBackInOrderWithKeyAndValue() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            append(spool, 0, 100);
            assertThat(spool.events()).isEqualTo(100);
            assertThat(values(spool, 100)).isEqualTo(numbers(0, 100));
            assertThat(spool.next()).isNull();
        }
    }

    @Test
    void recordsAddedWhileOthersAreReadComeAfterThem() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            append(spool, 0, 3);
            assertThat(values(spool, 2)).isEqualTo(numbers(0, 2));
            append(spool, 3, 6);
            assertThat(values(spool, 4)).isEqualTo(numbers(2, 6));
            assertThat(spool.next()).isNull();
            append(spool, 6, 7);
            assertThat(values(spool, 1)).isEqualTo(numbers(6, 7));
        }
    }

    @Test
    void aFileIsRemovedOnlyWhenAllOfItWasAcknowledged() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            append(spool, 0, 100);
            int files = files().size();
            assertThat(files).isGreaterThan(3);
            List<DiskSpool.Spooled> read = new ArrayList<>();
            for (DiskSpool.Spooled next = spool.next(); next != null; next = spool.next()) {
                read.add(next);
            }
            assertThat(files()).hasSize(files);
            spool.acknowledge(read.get(1));
            assertThat(files()).hasSize(files);
            read.remove(1);
            for (DiskSpool.Spooled record : read) {
                spool.acknowledge(record);
            }
            assertThat(files()).isEmpty();
            assertThat(spool.bytes()).isZero();
            assertThat(spool.events()).isZero();
        }
    }

    @Test
    void whatWasNotAcknowledgedIsThereForTheNextProcessInOrder() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            append(spool, 0, 100);
            spool.acknowledge(next(spool));
        }
        try (DiskSpool spool = open(1 << 20, 1024)) {
            // The first file was not acknowledged as a whole, so all of it comes again.
            append(spool, 100, 110);
            assertThat(values(spool, 110)).isEqualTo(numbers(0, 110));
            assertThat(spool.cuts()).isZero();
        }
    }

    @Test
    void theLimitHoldsForAllFilesTogether() throws IOException {
        try (DiskSpool spool = open(8192, 1024)) {
            int taken = 0;
            while (spool.append(key(), value(taken))) {
                taken++;
            }
            assertThat(spool.bytes()).isBetween(8192L - 200, 8192L);
            assertThat(onDisk()).isEqualTo(spool.bytes());
            assertThat(spool.append(key(), value(taken))).isFalse();
            assertThat(values(spool, taken)).isEqualTo(numbers(0, taken));
        }
    }

    @Test
    void aTornEndIsCutAtEveryPossibleByteAndCounted() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1 << 20)) {
            append(spool, 0, 3);
        }
        Path file = files().get(0);
        byte[] whole = Files.readAllBytes(file);
        int frame = (whole.length - 8) / 3;
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            int records = Math.max(0, (length - 8) / frame);
            boolean torn = length > 0 && (length < 8 || (length - 8) % frame != 0);
            try (DiskSpool spool = open(1 << 20, 1 << 20)) {
                assertThat(values(spool, records)).as("cut to %d bytes", length).isEqualTo(numbers(0, records));
                assertThat(spool.next()).isNull();
                assertThat(spool.cuts()).as("cut to %d bytes", length).isEqualTo(torn ? 1 : 0);
            }
        }
    }

    @Test
    void zerosThatACrashLeftAtTheEndAreCut() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1 << 20)) {
            append(spool, 0, 3);
        }
        Files.write(files().get(0), new byte[4096], StandardOpenOption.APPEND);
        try (DiskSpool spool = open(1 << 20, 1 << 20)) {
            assertThat(values(spool, 3)).isEqualTo(numbers(0, 3));
            assertThat(spool.next()).isNull();
            assertThat(spool.cuts()).isEqualTo(1);
        }
    }

    @Test
    void aFlippedBitNeverComesBackAsARecord() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1 << 20)) {
            append(spool, 0, 20);
        }
        Path file = files().get(0);
        byte[] whole = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 200; i++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, damaged);
            try (DiskSpool spool = open(1 << 20, 1 << 20)) {
                List<Integer> read = values(spool, (int) spool.events());
                assertThat(read).isEqualTo(numbers(0, read.size()));
                assertThat(spool.cuts()).isEqualTo(1);
            }
            Files.deleteIfExists(file);
        }
    }

    @Test
    void aDirectoryBelongsToOnePublisher() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            assertThat(spool.events()).isZero();
            assertThatThrownBy(() -> open(1 << 20, 1024))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
        }
        open(1 << 20, 1024).close();
    }

    @Test
    void writtenBytesWaitForTheDiskUntilTheyAreForced() throws IOException {
        try (DiskSpool spool = open(1 << 20, 1024)) {
            assertThat(spool.needsSync()).isFalse();
            append(spool, 0, 1);
            assertThat(spool.needsSync()).isTrue();
            // Reading closes the file, and that forces it.
            assertThat(values(spool, 1)).isEqualTo(numbers(0, 1));
            assertThat(spool.needsSync()).isFalse();
        }
    }

    private DiskSpool open(long limitBytes, long segmentBytes) throws IOException {
        return DiskSpool.open(new SpoolSettings(directory, limitBytes, segmentBytes));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".spool"))
                    .sorted()
                    .toList();
        }
    }

    private long onDisk() throws IOException {
        long bytes = 0;
        for (Path file : files()) {
            try (FileChannel channel = FileChannel.open(file)) {
                bytes += channel.size();
            }
        }
        return bytes;
    }

    private static void append(DiskSpool spool, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            assertThat(spool.append(key(), value(i))).isTrue();
        }
    }

    private static DiskSpool.Spooled next(DiskSpool spool) throws IOException {
        return Objects.requireNonNull(spool.next(), "one more record");
    }

    private static List<Integer> values(DiskSpool spool, int count) throws IOException {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DiskSpool.Spooled record = next(spool);
            assertThat(record.key()).isEqualTo(key());
            values.add(Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8).strip()));
        }
        return values;
    }

    private static byte[] key() {
        return "replica-1".getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int number) {
        return "%50d".formatted(number).getBytes(StandardCharsets.UTF_8);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }
}
