package io.inferwatch.probes.corpus;

import java.util.List;

/** Finds one or more kinds of personal data. */
interface Finder {
    /** The places in a text, none over another of the same finder. */
    List<Span> find(String text);
}
