package io.inferwatch.probes.admin;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What senders must know: the text of a file, sent as {@code authorization: Bearer TOKEN}. Never printed; compared in constant time. */
public final class BearerToken {
    private final byte[] header;

    private BearerToken(String token) {
        header = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The token of a file, without blanks at its ends.
     *
     * @throws InvalidSettingsException when there is none
     */
    public static BearerToken read(Path file) {
        String found;
        try {
            String token = Files.readString(file).strip();
            if (!token.isEmpty()) {
                return new BearerToken(token);
            }
            found = "an empty one";
        } catch (IOException e) {
            found = e.getClass().getSimpleName();
        }
        throw new InvalidSettingsException(
                file.toString(), List.of("token-file: must be a readable file with a token, found " + found));
    }

    /** Whether that is the header of a sender who knows it. */
    public boolean isIn(@Nullable String authorization) {
        return authorization != null && MessageDigest.isEqual(header, authorization.getBytes(StandardCharsets.UTF_8));
    }
}
