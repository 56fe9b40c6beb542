package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * From where on memory is a risk.
 *
 * @param memoryHorizon a device that is surely full within it is one, when it is used by {@code memoryUse}; a KV cache when it is by {@code kvUse}
 * @param memoryUse share of a device's memory
 * @param kvUse share of a KV cache: a risk too while requests are preempted
 * @param splitShare inactive split bytes of what an allocator holds: too fragmented while allocations are retried or fail
 * @param unusableShare of what is free in an allocator, but too small for its largest request: the same
 */
public record MemoryLimits(
        Duration memoryHorizon, double memoryUse, double kvUse, double splitShare, double unusableShare) {
    /** The kind of settings that hold limits of running jobs. */
    public static final String KIND = "limit";

    /** The limits where nothing else is said. */
    public static final MemoryLimits DEFAULT = new MemoryLimits(Duration.ofMinutes(30), 0.85, 0.9, 0.15, 0.5);

    /** The names of the limits, as users write them. */
    public static final List<String> NAMES =
            List.of("memory-horizon", "memory-use", "kv-use", "split-share", "unusable-share");

    private static final Duration MIN_HORIZON = Duration.ofMinutes(1);
    private static final Duration MAX_HORIZON = Duration.ofDays(1);

    /**
     * The same with one limit as a text says: a duration of the horizon, of shares a percentage.
     *
     * @throws IllegalArgumentException with the name and the rule that the text breaks
     */
    public MemoryLimits with(String name, String text) {
        Settings entry = Settings.parse(name, "");
        MemoryLimits limits = with(name, text, entry);
        entry.check();
        return limits;
    }

    /** The same with one limit as a text says; what is wrong with it becomes a problem of the section. */
    MemoryLimits with(String name, String text, Settings entries) {
        return switch (name) {
            case "memory-horizon" ->
                new MemoryLimits(horizon(text, entries), memoryUse, kvUse, splitShare, unusableShare);
            case "memory-use" ->
                new MemoryLimits(memoryHorizon, share(name, text, entries), kvUse, splitShare, unusableShare);
            case "kv-use" ->
                new MemoryLimits(memoryHorizon, memoryUse, share(name, text, entries), splitShare, unusableShare);
            case "split-share" ->
                new MemoryLimits(memoryHorizon, memoryUse, kvUse, share(name, text, entries), unusableShare);
            case "unusable-share" ->
                new MemoryLimits(memoryHorizon, memoryUse, kvUse, splitShare, share(name, text, entries));
            default -> {
                entries.problem(
                        name, "one of " + String.join(", ", NAMES), "another name" + Settings.nearest(name, NAMES));
                yield this;
            }
        };
    }

    private static Duration horizon(String text, Settings entries) {
        Duration duration = Settings.parseDuration(text);
        if (duration == null || duration.compareTo(MIN_HORIZON) < 0 || duration.compareTo(MAX_HORIZON) > 0) {
            entries.problem("memory-horizon", "a duration between 1m and 24h such as 30m", "'" + text + "'");
        }
        return Objects.requireNonNullElse(duration, DEFAULT.memoryHorizon);
    }

    private static double share(String name, String text, Settings entries) {
        try {
            double share = DriftWatches.parseThreshold(text);
            if (share <= 1) {
                return share;
            }
        } catch (IllegalArgumentException e) {
            // The problem below says all that is to be said.
        }
        entries.problem(name, "a percentage above 0% and up to 100% such as 85%", "'" + text + "'");
        return 1;
    }
}
