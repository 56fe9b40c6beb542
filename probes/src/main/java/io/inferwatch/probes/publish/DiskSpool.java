package io.inferwatch.probes.publish;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records on disk, first in, first out. Files of a bounded size are only appended to; each record is framed by its length and its
 * CRC-32C. A file is removed once every record of it was acknowledged, so that after a crash its records come again, in order, and none
 * is missing.
 *
 * <p>Written bytes survive the end of the process at once; they are forced to the disk when a file is full and at most a second after
 * they were written, so that a crash of the host loses at most the last second. A frame that such a crash tore is found by its length or
 * sum: the file is cut before it, and the cut is counted.
 *
 * <p>Not thread safe. Holds one frame in memory and a little for each file.
 */
final class DiskSpool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpool.class);
    private static final Pattern FILE_NAME = Pattern.compile("(\\d{19})\\.spool");
    private static final long MAGIC = 0x4957_5350_4F4F_4C31L; // IWSPOOL1
    private static final int MAGIC_BYTES = 8;
    private static final int FRAME_BYTES = 8;
    private static final int MAX_BODY_BYTES = 64 << 20;
    private static final long SYNC_INTERVAL_NANOS = 1_000_000_000L;

    private final SpoolSettings settings;
    private final FileChannel lockFile;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private @Nullable FileChannel writing;
    private @Nullable DataInputStream reading;
    private @Nullable Segment readSegment;
    private long nextFileNumber;
    private long bytes;
    private long events;
    private long cuts;
    private boolean dirty;
    private long writtenAtNanos;

    private static final class Segment {
        private final Path file;
        private long bytes;
        private long records;
        private long read;
        private long acknowledged;
        private boolean full;

        private Segment(Path file) {
            this.file = file;
        }
    }

    /** A record read back; its segment waits for its acknowledgement. */
    record Spooled(Object segment, byte[] key, byte[] value) {}

    private DiskSpool(SpoolSettings settings, FileChannel lockFile) {
        this.settings = settings;
        this.lockFile = lockFile;
    }

    /**
     * Opens a directory, takes it for this process alone, and takes up what an earlier process left there.
     *
     * @throws IOException when it cannot be used, also when another process uses it
     */
    static DiskSpool open(SpoolSettings settings) throws IOException {
        Files.createDirectories(settings.directory());
        FileChannel lockFile = FileChannel.open(
                settings.directory().resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (lockFile.tryLock() == null) {
                throw new IOException(settings.directory() + ": is in use by another process");
            }
            DiskSpool spool = new DiskSpool(settings, lockFile);
            spool.recover();
            return spool;
        } catch (OverlappingFileLockException e) {
            lockFile.close();
            throw new IOException(settings.directory() + ": is in use by another publisher of this process", e);
        } catch (IOException e) {
            lockFile.close();
            throw e;
        }
    }

    /**
     * Adds a record at the end.
     *
     * @return false when the limit leaves no room for it
     */
    boolean append(byte[] key, byte[] value) throws IOException {
        int body = Integer.BYTES + key.length + value.length;
        long size = (long) FRAME_BYTES + body;
        Segment last = segments.peekLast();
        boolean fits = writing != null && last != null && last.bytes + size <= settings.segmentBytes();
        if (bytes + size + (fits ? 0 : MAGIC_BYTES) > settings.limitBytes()) {
            return false;
        }
        FileChannel channel = writing;
        if (!fits || channel == null || last == null) {
            finishWriting();
            last = begin();
            channel = last == null ? null : writing;
            if (last == null || channel == null) {
                throw new IOException(settings.directory() + ": no file to write to");
            }
        }
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES + body);
        frame.putInt(body).putInt(0).putInt(key.length).put(key).put(value);
        frame.putInt(Integer.BYTES, checksum(frame.array(), FRAME_BYTES, body)).flip();
        try {
            writeAll(channel, frame);
        } catch (IOException e) {
            // Half a frame would hide every later one of this file.
            channel.truncate(last.bytes);
            throw e;
        }
        if (!dirty) {
            dirty = true;
            writtenAtNanos = System.nanoTime();
        }
        last.bytes += size;
        last.records++;
        bytes += size;
        events++;
        return true;
    }

    /** The oldest record not read yet, or null when there is none. */
    @Nullable
    Spooled next() throws IOException {
        while (true) {
            Segment segment = readSegment;
            DataInputStream in = reading;
            if (segment != null && in != null && segment.read < segment.records) {
                byte[] body = readFrame(in);
                if (body == null) {
                    throw new IOException(segment.file + ": damaged after it was checked");
                }
                segment.read++;
                ByteBuffer content = ByteBuffer.wrap(body);
                byte[] key = new byte[content.getInt()];
                content.get(key);
                byte[] value = new byte[content.remaining()];
                content.get(value);
                return new Spooled(segment, key, value);
            }
            closeReading();
            Segment following = null;
            for (Segment candidate : segments) {
                if (candidate.read < candidate.records) {
                    following = candidate;
                    break;
                }
            }
            if (following == null) {
                return null;
            }
            if (following == segments.peekLast()) {
                // Only finished files are read, so that a reader never meets a frame half written.
                finishWriting();
            }
            DataInputStream opened =
                    new DataInputStream(new BufferedInputStream(Files.newInputStream(following.file), 1 << 16));
            opened.readLong();
            reading = opened;
            readSegment = following;
        }
    }

    /** Notes that a record needs no second delivery; removes its file when it was the last one of it. */
    void acknowledge(Spooled record) throws IOException {
        Segment segment = (Segment) record.segment();
        segment.acknowledged++;
        events--;
        if (segment.full && segment.acknowledged == segment.records) {
            remove(segment);
        }
    }

    /** Forces to the disk what was written a second ago or longer. */
    void syncIfDue() throws IOException {
        if (dirty && System.nanoTime() - writtenAtNanos >= SYNC_INTERVAL_NANOS) {
            sync();
        }
    }

    /** Whether written bytes wait for being forced to the disk. */
    boolean needsSync() {
        return dirty;
    }

    /** Records not acknowledged. */
    long events() {
        return events;
    }

    /** Bytes on disk. */
    long bytes() {
        return bytes;
    }

    /** Torn ends cut off when it was opened. */
    long cuts() {
        return cuts;
    }

    @Override
    public void close() throws IOException {
        try {
            closeReading();
            finishWriting();
        } finally {
            lockFile.close();
        }
    }

    private void recover() throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(settings.directory())) {
            files = listed.filter(file ->
                            FILE_NAME.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : files) {
            Matcher name = FILE_NAME.matcher(file.getFileName().toString());
            if (name.matches()) {
                nextFileNumber = Math.max(nextFileNumber, Long.parseLong(name.group(1)) + 1);
            }
            Segment segment = new Segment(file);
            segment.full = true;
            check(segment);
            if (segment.records == 0) {
                Files.delete(file);
            } else {
                segments.addLast(segment);
                bytes += segment.bytes;
                events += segment.records;
            }
        }
    }

    /** Counts the whole frames of a file and cuts off what follows them. */
    private void check(Segment segment) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(segment.file), 1 << 16))) {
            if (magicFollows(in)) {
                segment.bytes = MAGIC_BYTES;
                for (byte[] body = readFrame(in); body != null; body = readFrame(in)) {
                    segment.bytes += FRAME_BYTES + body.length;
                    segment.records++;
                }
            }
        }
        long size = Files.size(segment.file);
        if (size > segment.bytes) {
            cuts++;
            LOG.warn(
                    "{}: the last {} of {} bytes are no whole record, cut off after {} records",
                    segment.file,
                    size - segment.bytes,
                    size,
                    segment.records);
            try (FileChannel channel = FileChannel.open(segment.file, StandardOpenOption.WRITE)) {
                channel.truncate(segment.bytes);
                channel.force(true);
            }
        }
    }

    private static boolean magicFollows(DataInputStream in) throws IOException {
        try {
            return in.readLong() == MAGIC;
        } catch (EOFException e) {
            return false;
        }
    }

    /** The next frame's body, or null when what follows is no whole frame. */
    private static byte @Nullable [] readFrame(DataInputStream in) throws IOException {
        try {
            int length = in.readInt();
            int checksum = in.readInt();
            if (length < Integer.BYTES || length > MAX_BODY_BYTES) {
                return null;
            }
            byte[] body = in.readNBytes(length);
            if (body.length < length || checksum(body, 0, length) != checksum) {
                return null;
            }
            int keyLength = ByteBuffer.wrap(body).getInt();
            return keyLength < 0 || keyLength > length - Integer.BYTES ? null : body;
        } catch (EOFException e) {
            return null;
        }
    }

    private @Nullable Segment begin() throws IOException {
        Segment segment = new Segment(settings.directory().resolve("%019d.spool".formatted(nextFileNumber++)));
        FileChannel channel = FileChannel.open(segment.file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            writeAll(channel, ByteBuffer.allocate(MAGIC_BYTES).putLong(MAGIC).flip());
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(segment.file);
            throw e;
        }
        segment.bytes = MAGIC_BYTES;
        bytes += MAGIC_BYTES;
        segments.addLast(segment);
        writing = channel;
        try (FileChannel directory = FileChannel.open(settings.directory(), StandardOpenOption.READ)) {
            // The file's name, too, must survive a crash of the host.
            directory.force(true);
        }
        return segment;
    }

    private void finishWriting() throws IOException {
        FileChannel channel = writing;
        Segment segment = segments.peekLast();
        if (channel == null || segment == null) {
            return;
        }
        sync();
        channel.close();
        writing = null;
        segment.full = true;
        if (segment.acknowledged == segment.records) {
            remove(segment);
        }
    }

    private void sync() throws IOException {
        FileChannel channel = writing;
        if (channel != null && dirty) {
            channel.force(false);
        }
        dirty = false;
    }

    private void remove(Segment segment) throws IOException {
        if (segment == readSegment) {
            closeReading();
        }
        Files.deleteIfExists(segment.file);
        segments.remove(segment);
        bytes -= segment.bytes;
    }

    private void closeReading() throws IOException {
        if (reading != null) {
            reading.close();
        }
        reading = null;
        readSegment = null;
    }

    private static void writeAll(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
