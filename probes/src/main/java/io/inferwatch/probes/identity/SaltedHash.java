package io.inferwatch.probes.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what identifies people into 16 hexadecimal digits: the first 64 bits of HMAC-SHA-256 with the salt as key, over {@code kind:text}.
 * The same salt gives the same digits in every process; without it they cannot be guessed from a list of names. Thread safe.
 */
public final class SaltedHash {
    private static final Logger LOG = LoggerFactory.getLogger(SaltedHash.class);
    private static final String ALGORITHM = "HmacSHA256";
    private static final int NEW_SALT_BYTES = 32;
    private static final int MIN_SALT_BYTES = 16;
    private static final int MAX_SALT_BYTES = 4096;

    private final Mac keyed;

    private SaltedHash(byte[] salt) {
        try {
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(salt, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + ": must be there in every Java", e);
        }
    }

    /** Whose digits these are: the same text as tenant and as session gives different ones. */
    public enum Kind {
        TENANT,
        SESSION,
        API_KEY
    }

    /** Where the salt is unless settings say otherwise: {@code .inferwatch/salt} in the user's home. */
    public static Path defaultFile() {
        return Path.of(System.getProperty("user.home", "."), ".inferwatch", "salt");
    }

    /**
     * With the salt of a file: its text without blanks at the ends, {@value #MIN_SALT_BYTES} to {@value #MAX_SALT_BYTES} bytes.
     *
     * @throws IOException with one line for the user when it is missing, cannot be read or is no salt
     */
    public static SaltedHash read(Path file) throws IOException {
        byte[] salt;
        try {
            if (Files.size(file) > 2 * MAX_SALT_BYTES) {
                throw new IOException("a file of " + Files.size(file) + " bytes");
            }
            salt = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(file + ", " + e.getClass().getSimpleName() + ": " + e.getMessage(), e);
        }
        if (salt.length < MIN_SALT_BYTES || salt.length > MAX_SALT_BYTES) {
            throw new IOException(file + " with " + salt.length + " bytes");
        }
        return new SaltedHash(salt);
    }

    /**
     * The same; a missing file is made with a random salt, readable by its owner alone. Probes whose tenants are to be the same need the
     * same file.
     */
    public static SaltedHash readOrCreate(Path file) throws IOException {
        try {
            return read(file);
        } catch (NoSuchFileException e) {
            create(file);
            return read(file);
        }
    }

    /** Stands in for a salt that cannot be read until the settings' problems are reported. */
    static SaltedHash unsalted() {
        return new SaltedHash(new byte[MIN_SALT_BYTES]);
    }

    /** The digits of a text. */
    public String digits(Kind kind, String text) {
        Mac mac;
        try {
            mac = (Mac) keyed.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(ALGORITHM + ": must be cloneable", e);
        }
        byte[] hash = mac.doFinal((kind.name() + ":" + text).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, 8);
    }

    private static void create(Path file) throws IOException {
        byte[] random = new byte[NEW_SALT_BYTES];
        new SecureRandom().nextBytes(random);
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        // Written whole under another name first: whoever starts at the same time must never read half a salt.
        Path draft = Path.of(file + "." + UUID.randomUUID() + ".new");
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Files.newByteChannel(draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)
                    .close();
            Files.writeString(draft, HexFormat.of().formatHex(random) + "\n");
            Files.createLink(file, draft);
            LOG.warn(
                    "{}: a new salt was made; tenants and sessions are the same only where the salt is, so keep it and share it",
                    file);
        } catch (FileAlreadyExistsException e) {
            LOG.info("{}: another process has just made it", file);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
