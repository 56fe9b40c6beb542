package io.inferwatch.probes.corpus;

/**
 * A place in a text.
 *
 * @param start index of the first character
 * @param end index behind the last one
 */
record Span(int start, int end, PersonalData kind) {
    boolean overlaps(Span other) {
        return start < other.end && other.start < end;
    }
}
