package io.inferwatch.analytics.cause;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A cause that is looked for, and what shows it.
 *
 * @param name of the cause
 * @param stages whose rise it explains; empty for all of them, as far as there was an event
 * @param isMix whether it explains what other traffic rises
 * @param signals readings that depart with it: true upwards, false downwards
 * @param events kinds of events that make it
 * @param scopes dimensions in which it is in one place
 */
public record CauseRule(
        String name,
        Set<String> stages,
        boolean isMix,
        Map<String, Boolean> signals,
        Set<String> events,
        Set<String> scopes) {

    /** What makes serving slow, as far as readings of this project show it. */
    public static final List<CauseRule> STANDARD = List.of(
            new CauseRule(
                    "overload",
                    // Fuller batches decode more slowly.
                    Set.of("queue", "decode"),
                    false,
                    Map.of("request_rate", true, "waiting_requests", true),
                    Set.of("scale"),
                    Set.of()),
            new CauseRule(
                    "longer-prompts",
                    Set.of(),
                    true,
                    Map.of("prompt_tokens", true),
                    Set.of(),
                    Set.of("tenant", "class")),
            new CauseRule(
                    "slow-device",
                    Set.of("prefill", "decode"),
                    false,
                    Map.of("sm_clock", false, "throttled", true, "gpu_temperature", true),
                    Set.of("node"),
                    Set.of("node", "replica")),
            new CauseRule(
                    "cache-misses",
                    Set.of("prefill"),
                    false,
                    Map.of("prefix_hit_ratio", false, "cache_timeouts", true),
                    Set.of(),
                    Set.of()),
            new CauseRule(
                    "memory-pressure",
                    Set.of("queue", "decode"),
                    false,
                    Map.of("preemptions", true, "kv_usage", true),
                    Set.of(),
                    Set.of("replica")),
            new CauseRule(
                    "interconnect",
                    Set.of("kv_transfer"),
                    false,
                    Map.of("link_errors", true, "kv_transfer", true),
                    Set.of(),
                    Set.of("node")),
            new CauseRule(
                    "authentication",
                    Set.of("authentication"),
                    false,
                    Map.of("authentication_errors", true, "authentication", true),
                    Set.of(),
                    Set.of()),
            new CauseRule("release", Set.of(), false, Map.of(), Set.of("release", "config"), Set.of("version")));

    /** A rule with unmodifiable collections. */
    public CauseRule {
        stages = Set.copyOf(stages);
        signals = Map.copyOf(signals);
        events = Set.copyOf(events);
        scopes = Set.copyOf(scopes);
    }
}
