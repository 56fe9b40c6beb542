package io.inferwatch.probes.gpu.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A control group (version 2) at one moment. What it may use is the least that it and the groups above it allow; null where nothing limits it, or where it cannot be read.
 *
 * @param cpuLimitPpm processors it may use, millionths of one
 */
public record ControlGroup(
        @Nullable Long memoryBytes,
        @Nullable Long memoryLimitBytes,
        @Nullable Long cpuMicros,
        @Nullable Long throttledMicros,
        @Nullable Long cpuLimitPpm) {
    private static final Pattern BLANKS = Pattern.compile(" +");

    /** Reads the group of that path within the hierarchy. */
    public static ControlGroup read(HostFiles host, String path) {
        Path root = host.cgroup().normalize();
        Path own = root.resolve(path.substring(1)).normalize();
        if (!own.startsWith(root)) {
            // A process in a namespace of its own shows paths above the root: /../….
            own = root;
        }
        Long memoryLimitBytes = null;
        Long cpuLimitPpm = null;
        for (Path at = own; at != null && at.startsWith(root); at = at.getParent()) {
            memoryLimitBytes = least(
                    memoryLimitBytes,
                    HostFiles.text(at.resolve("memory.max"))
                            .map(HostFiles::number)
                            .orElse(null));
            cpuLimitPpm = least(
                    cpuLimitPpm,
                    HostFiles.text(at.resolve("cpu.max"))
                            .map(ControlGroup::processorsPpm)
                            .orElse(null));
        }
        Map<String, Long> cpu = HostFiles.text(own.resolve("cpu.stat"))
                .map(ControlGroup::statistics)
                .orElse(Map.of());
        return new ControlGroup(
                HostFiles.text(own.resolve("memory.current"))
                        .map(HostFiles::number)
                        .orElse(null),
                memoryLimitBytes,
                cpu.get("usage_usec"),
                cpu.get("throttled_usec"),
                cpuLimitPpm);
    }

    /** {@code QUOTA PERIOD}, microseconds; {@code max} for no quota. */
    private static @Nullable Long processorsPpm(String cpuMax) {
        List<String> parts = List.of(BLANKS.split(cpuMax, -1));
        if (parts.size() != 2) {
            return null;
        }
        Long quotaMicros = HostFiles.number(parts.get(0));
        Long periodMicros = HostFiles.number(parts.get(1));
        return quotaMicros == null || periodMicros == null || periodMicros <= 0
                ? null
                : Long.valueOf(quotaMicros * 1_000_000 / periodMicros);
    }

    private static Map<String, Long> statistics(String text) {
        return text.lines()
                .map(line -> BLANKS.split(line, -1))
                .filter(parts -> parts.length == 2 && HostFiles.number(parts[1]) != null)
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1]), (a, b) -> b));
    }

    private static @Nullable Long least(@Nullable Long a, @Nullable Long b) {
        return a == null ? b : b == null ? a : Long.valueOf(Math.min(a, b));
    }
}
