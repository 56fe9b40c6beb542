package io.inferwatch.probes.identity;

import org.jspecify.annotations.Nullable;

/** The headers of a request or an answer, whatever holds them. Names are asked for in lower case; the lookup knows no case. */
@FunctionalInterface
public interface HeaderLookup {
    /** A header's value, lines of the same name joined by commas, or null when there is none. */
    @Nullable
    String value(String name);
}
