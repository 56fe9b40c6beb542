package io.inferwatch.probes.corpus;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The prompts of one file that are kept, and what became of the others. */
record CleanedFile(Counts counts, List<Prompt> prompts) {
    CleanedFile {
        prompts = List.copyOf(prompts);
    }

    static CleanedFile of(PromptFile file, CleaningSettings settings, Cleaner cleaner, Tokens vocabulary) {
        Reading reading = new Reading(settings, cleaner, vocabulary);
        file.read(reading);
        return new CleanedFile(
                new Counts(
                        reading.found,
                        reading.kept.size(),
                        reading.unreadable,
                        reading.repeated,
                        reading.repetitive,
                        reading.outside,
                        reading.removed),
                reading.kept);
    }

    private static final class Reading implements PromptFile.Listener {
        private final CleaningSettings settings;
        private final Cleaner cleaner;
        private final Tokens vocabulary;
        private final List<Prompt> kept = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private final Map<String, Long> removed = new TreeMap<>();
        private long found;
        private long unreadable;
        private long repeated;
        private long repetitive;
        private long outside;

        private Reading(CleaningSettings settings, Cleaner cleaner, Tokens vocabulary) {
            this.settings = settings;
            this.cleaner = cleaner;
            this.vocabulary = vocabulary;
        }

        @Override
        public void prompt(String text) {
            found++;
            Cleaner.Cleaned cleaned = cleaner.clean(text);
            cleaned.removed().forEach((kind, count) -> removed.merge(kind.label(), (long) count, Long::sum));
            if (seen.contains(cleaned.text())) {
                repeated++;
                return;
            }
            int[] tokens = vocabulary.of(cleaned.text());
            if (tokens.length < settings.leastTokens() || tokens.length > settings.mostTokens()) {
                outside++;
            } else if (tokens.length >= Quality.LEAST_TOKENS && FourGrams.bits(tokens) < Quality.LEAST_BITS) {
                repetitive++;
            } else {
                seen.add(cleaned.text());
                kept.add(new Prompt(cleaned.text(), tokens.length));
            }
        }

        @Override
        public void unreadable() {
            unreadable++;
        }
    }
}
