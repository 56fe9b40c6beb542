package io.inferwatch.probes.engine.mapping;

import java.util.List;

/**
 * What can be watched with which signals.
 *
 * @param needs signals, each of them as a list of which one is enough
 */
public record Capability(String name, List<List<String>> needs) {
    /** Unmodifiable. */
    public Capability {
        needs = List.copyOf(needs);
    }
}
