package io.inferwatch.probes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Texts that must not leave a probe. Each says where it stood, and all can be found by one search. */
public final class Secret {
    private static final Pattern ANY = Pattern.compile("secret7f3a-[a-z0-9.-]*");

    private Secret() {}

    /** A text for a place; it has no blanks, so that it could pass for a name. */
    public static String of(String place) {
        String secret = "seCret7f3a-" + place;
        if (!in(secret.getBytes(StandardCharsets.UTF_8)).equals(List.of(secret.toLowerCase(Locale.ROOT)))) {
            throw new IllegalArgumentException(place + " cannot be found again");
        }
        return secret;
    }

    /** Requires that none is there, and that what must be there is: or nothing was looked at. */
    public static void assertNoneIn(String what, byte[] bytes, String control) {
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).as(what).contains(control);
        assertThat(in(bytes)).as("texts in " + what).isEmpty();
    }

    /** The same for all files of a directory together. */
    public static void assertNoneInFiles(Path directory, String control) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1)).append('\n');
            }
        }
        assertNoneIn(directory.toString(), all.toString().getBytes(StandardCharsets.ISO_8859_1), control);
    }

    private static List<String> in(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        return ANY.matcher(text).results().map(MatchResult::group).distinct().toList();
    }
}
