package io.inferwatch.probes.corpus;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What is made of the prompts of a file.
 *
 * @param field that holds the prompt; empty for the usual ones
 * @param regions of national telephone numbers
 * @param leastTokens of a prompt that is kept
 * @param mostTokens of a prompt that is kept
 */
record CleaningSettings(Optional<String> field, List<String> regions, int leastTokens, int mostTokens) {
    CleaningSettings {
        regions = List.copyOf(regions);
        if (leastTokens < 1 || mostTokens < leastTokens) {
            throw new IllegalArgumentException(
                    "--tokens: must be MIN,MAX from 1 on, found " + leastTokens + "," + mostTokens);
        }
    }

    /** What a cleaned file depends on besides its content, in words. */
    String description() {
        return String.join(
                " ",
                "v" + Cleaner.VERSION,
                Tokens.VOCABULARY,
                field.orElse(""),
                String.join("+", regions),
                Integer.toString(leastTokens),
                Integer.toString(mostTokens));
    }

    /** The same as a name of files. */
    String key() {
        return UUID.nameUUIDFromBytes(description().getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
