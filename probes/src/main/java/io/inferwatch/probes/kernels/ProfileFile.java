package io.inferwatch.probes.kernels;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;

/** A profile on disk, plain or gzip. */
final class ProfileFile {
    private static final int DIGEST_CHARACTERS = 12;

    private ProfileFile() {}

    static BufferedReader open(Path file) throws IOException {
        return new BufferedReader(new InputStreamReader(bytes(file), StandardCharsets.UTF_8));
    }

    static InputStream bytes(Path file) throws IOException {
        BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        in.mark(2);
        boolean isGzip = in.read() == 0x1F && in.read() == 0x8B;
        in.reset();
        return isGzip ? new GZIPInputStream(in, 1 << 16) : in;
    }

    /** Its name and the beginning of its SHA-256, by which the parts of a profile belong together. */
    static String name(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
            return file.getFileName() + "@"
                    + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_CHARACTERS);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static BadProfileException unreadable(Path file, IOException why) {
        return new BadProfileException(file + ": must be a readable file, found "
                + (why instanceof NoSuchFileException ? "none" : String.valueOf(why.getMessage())));
    }
}
