package io.inferwatch.jobs.detect;

import org.jspecify.annotations.Nullable;

/** Who is known to the search for causes, and what was read of them. */
interface SubjectHistory {
    /** The ring of a subject; null where nothing is known of it. */
    @Nullable
    CauseRing ring(String subject);

    /** All subjects of a kind. */
    Iterable<String> subjects(String kind);
}
