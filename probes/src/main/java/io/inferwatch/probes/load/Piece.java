package io.inferwatch.probes.load;

/** A part of a message: words that are made, or a prompt that is kept. */
sealed interface Piece permits Words, Quote {
    /** As planned, or as counted by the corpus. */
    int tokens();

    /** Characters of the text itself. */
    int characters();

    /** Bytes that {@link #write} writes. */
    int length();

    /** Writes the text as it stands within a JSON string, in UTF-8, from a place in an array on; returns the place behind it. */
    int write(byte[] text, int offset);
}
