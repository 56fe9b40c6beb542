package io.inferwatch.probes.gpu.host;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A process at one moment, without its arguments and environment, where prompts and secrets could be. What the kernel does not tell is null; a process that is gone, or
 * of another PID namespace, has nothing but nulls.
 *
 * @param cgroup its control group's path within the hierarchy, {@code /…}
 */
public record HostProcess(
        @Nullable String name,
        @Nullable Long residentBytes,
        @Nullable Long swappedBytes,
        @Nullable Long lockedBytes,
        @Nullable CpuSet cpusAllowed,
        @Nullable String cgroup) {
    private static final Pattern KIB = Pattern.compile("(\\d+) kB");

    /** Reads the cheap files of a process. */
    public static HostProcess read(HostFiles host, int pid) {
        Path directory = host.proc().resolve(Integer.toString(pid));
        Map<String, String> status = table(directory.resolve("status"));
        return new HostProcess(
                HostFiles.text(directory.resolve("comm")).orElse(null),
                bytes(status.get("VmRSS")),
                bytes(status.get("VmSwap")),
                bytes(status.get("VmLck")),
                CpuSet.parse(status.getOrDefault("Cpus_allowed_list", "")).orElse(null),
                HostFiles.text(directory.resolve("cgroup"))
                        .flatMap(HostProcess::unified)
                        .orElse(null));
    }

    /** Resident memory with shared pages divided among their users. The kernel walks all of the process's pages for it: not for every second. */
    public static @Nullable Long proportionalBytes(HostFiles host, int pid) {
        return bytes(table(host.proc().resolve(Integer.toString(pid)).resolve("smaps_rollup"))
                .get("Pss"));
    }

    private static Map<String, String> table(Path file) {
        Map<String, String> table = new HashMap<>();
        HostFiles.text(file).ifPresent(text -> text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                table.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        }));
        return table;
    }

    private static @Nullable Long bytes(@Nullable String amount) {
        Matcher kib = KIB.matcher(amount == null ? "" : amount);
        return kib.matches() ? Long.valueOf(Long.parseLong(kib.group(1)) * 1_024) : null;
    }

    /** The line of the unified hierarchy; older hierarchies have other numbers. */
    private static Optional<String> unified(String lines) {
        return lines.lines()
                .filter(line -> line.startsWith("0::/"))
                .map(line -> line.substring("0::".length()))
                .findFirst();
    }
}
