package io.inferwatch.probes.replay;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** A recorded file as text: plain or gzip, told apart by the first bytes; UTF-8, strictly; with or without a byte order mark. */
public final class TraceFile {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private TraceFile() {}

    /** Who reads the text. */
    public interface Lines {
        void read(BufferedReader reader) throws IOException;
    }

    /** Who knows how far the reading has come. */
    public interface LineNumber {
        long read();
    }

    /**
     * Hands the text to a reader.
     *
     * @param line the last line that the reader has seen, for messages
     * @throws BadTraceException when the file is not there, cut short or no UTF-8
     */
    public static void read(Path file, LineNumber line, Lines lines) {
        try (BufferedReader reader = open(file)) {
            lines.read(reader);
        } catch (UncheckedIOException e) {
            IOException cause = e.getCause();
            throw explain(file, line.read(), cause == null ? new IOException(e) : cause);
        } catch (IOException e) {
            throw explain(file, line.read(), e);
        }
    }

    /** SHA-256 over the bytes of the file. */
    public static String sha256(Path file) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw explain(file, 0, e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static BufferedReader open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try {
            in.mark(2);
            boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
            in.reset();
            InputStream content = gzip ? new GZIPInputStream(in, BUFFER_BYTES) : in;
            BufferedReader reader = new BufferedReader(
                    new InputStreamReader(content, StandardCharsets.UTF_8.newDecoder()), BUFFER_BYTES);
            reader.mark(1);
            if (reader.read() != BYTE_ORDER_MARK) {
                reader.reset();
            }
            return reader;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private static BadTraceException explain(Path file, long line, IOException failure) {
        String what = file + ": must be ";
        if (failure instanceof EOFException) {
            return new BadTraceException(what + "a whole gzip file, found its end missing after line " + line);
        }
        if (failure instanceof ZipException) {
            return new BadTraceException(
                    what + "a whole gzip file, found it damaged after line " + line + ": " + failure.getMessage());
        }
        if (failure instanceof CharacterCodingException) {
            return new BadTraceException(what + "text in UTF-8, found other bytes after line " + line);
        }
        if (failure instanceof NoSuchFileException) {
            return new BadTraceException(what + "a file, found nothing there");
        }
        return new BadTraceException(what + "readable, found: " + failure);
    }
}
