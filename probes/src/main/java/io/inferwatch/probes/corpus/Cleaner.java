package io.inferwatch.probes.corpus;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Puts placeholders in the place of what tells of people. In a text that it has cleaned it finds nothing more. What it misses and what it takes without need is measured in {@code CleanerTest}; it is no proof that a text is anonymous.
 */
final class Cleaner {
    /** Rises with every change of what is found, so that files are cleaned anew. */
    static final int VERSION = 1;

    /** What is left of a text can look like a name beside a placeholder; each pass takes something away, and two are nearly always enough. */
    private static final int MOST_PASSES = 8;

    private final List<Finder> finders;

    /** A text and how many places of each kind were replaced; kinds that were not found are left out. */
    record Cleaned(String text, Map<PersonalData, Integer> removed) {}

    /**
     * A cleaner.
     *
     * @param regions whose national telephone numbers are known, by two letters; numbers with a country code are known everywhere
     */
    Cleaner(List<String> regions) {
        finders = List.of(new PatternFinder(), new PhoneFinder(regions), new NameFinder(NameLists.load()));
    }

    Cleaned clean(String text) {
        Map<PersonalData, Integer> removed = new EnumMap<>(PersonalData.class);
        String present = text;
        List<Span> spans = spans(present);
        for (int pass = 0; pass < MOST_PASSES && !spans.isEmpty(); pass++) {
            spans.forEach(span -> removed.merge(span.kind(), 1, Integer::sum));
            present = replaced(present, spans);
            spans = spans(present);
        }
        return new Cleaned(present, removed);
    }

    /** All places from left to right, none over another. */
    List<Span> spans(String text) {
        List<Span> found = new ArrayList<>();
        finders.forEach(finder -> found.addAll(finder.find(text)));
        found.sort(Comparator.comparing(Span::kind).thenComparing(Span::start));
        List<Span> chosen = new ArrayList<>();
        for (Span span : found) {
            if (chosen.stream().noneMatch(span::overlaps)) {
                chosen.add(span);
            }
        }
        chosen.sort(Comparator.comparing(Span::start));
        return chosen;
    }

    private static String replaced(String text, List<Span> spans) {
        StringBuilder result = new StringBuilder(text.length());
        int at = 0;
        for (Span span : spans) {
            result.append(text, at, span.start()).append(span.kind().placeholder());
            at = span.end();
        }
        return result.append(text, at, text.length()).toString();
    }
}
