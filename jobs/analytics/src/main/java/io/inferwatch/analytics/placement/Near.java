package io.inferwatch.analytics.placement;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a device is near, and the commands that bring a process there. What goes into a command is checked: it may come from an event.
 *
 * @param cpus processors near the device, as a list like 0-31,64-95
 * @param numaNode its NUMA node; null where there is none
 */
public record Near(String cpus, @Nullable Integer numaNode) {
    private static final Pattern LIST = Pattern.compile("\\d{1,6}(-\\d{1,6})?(,\\d{1,6}(-\\d{1,6})?)*");

    /** Checks the place. */
    public Near {
        if (!LIST.matcher(cpus).matches()) {
            throw new IllegalArgumentException("cpus: must be a list like 0-31,64-95, found " + cpus);
        }
        if (numaNode != null && numaNode < 0) {
            throw new IllegalArgumentException("numaNode: must be at least 0, found " + numaNode);
        }
    }

    /** Binds a running process with all its threads. Its memory stays where it is. */
    public String bind(int pid) {
        return "taskset -acp " + cpus + " " + pid;
    }

    /** What to put before the command that starts it, by which its memory is near too; empty without a node. */
    public Optional<String> start() {
        return Optional.ofNullable(numaNode).map(node -> "numactl --cpunodebind=" + node + " --membind=" + node);
    }
}
