package io.inferwatch.probes.corpus;

import java.util.Map;
import java.util.TreeMap;

/**
 * What became of the prompts of files: found = kept + repeated + repetitive + outside.
 *
 * @param unreadable lines and paragraphs that hold no prompt
 * @param repeated the same text as one before, once it was cleaned
 * @param repetitive of many words and little variety
 * @param outside of the lengths that were asked for
 * @param removed places by kind of personal data, in all that was found
 */
record Counts(
        long found,
        long kept,
        long unreadable,
        long repeated,
        long repetitive,
        long outside,
        Map<String, Long> removed) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, Map.of());

    Counts {
        removed = Map.copyOf(removed);
    }

    Counts plus(Counts other) {
        Map<String, Long> all = new TreeMap<>(removed);
        other.removed.forEach((kind, count) -> all.merge(kind, count, Long::sum));
        return new Counts(
                found + other.found,
                kept + other.kept,
                unreadable + other.unreadable,
                repeated + other.repeated,
                repetitive + other.repetitive,
                outside + other.outside,
                all);
    }

    /** So many of the kept ones are the same as others elsewhere. */
    Counts repeatedElsewhere(long more) {
        return new Counts(found, kept - more, unreadable, repeated + more, repetitive, outside, removed);
    }
}
