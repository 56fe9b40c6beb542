package io.inferwatch.probes.identity;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A text with {@code *} for any characters. */
public final class Glob {
    private final Pattern pattern;

    /** Understands every text. */
    public Glob(String text) {
        pattern = Pattern.compile(
                Arrays.stream(text.split("\\*+", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                Pattern.DOTALL);
    }

    /** Whether the whole text is like this. */
    public boolean matches(String text) {
        return pattern.matcher(text).matches();
    }
}
