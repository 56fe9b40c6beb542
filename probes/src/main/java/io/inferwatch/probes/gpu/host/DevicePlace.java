package io.inferwatch.probes.gpu.host;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a device sits in its host.
 *
 * @param numaNode null where the host has none, or does not say
 * @param cpus the processors near it; null where unknown
 */
public record DevicePlace(
        @Nullable Integer numaNode, @Nullable CpuSet cpus) {
    private static final Pattern ADDRESS = Pattern.compile("([0-9a-f]{1,8})(:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])");

    /** Nothing is known. */
    public static final DevicePlace UNKNOWN = new DevicePlace(null, null);

    /** What sysfs says of the device at an address as NVML writes it, {@code 00000000:3B:00.0}. */
    public static DevicePlace of(HostFiles host, String pciBusId) {
        Path device = host.sys().resolve("bus/pci/devices").resolve(address(pciBusId));
        Integer node = HostFiles.text(device.resolve("numa_node"))
                .map(HostFiles::number)
                .filter(number -> number >= 0)
                .map(Long::intValue)
                .orElse(null);
        Optional<CpuSet> cpus = HostFiles.text(device.resolve("local_cpulist")).flatMap(CpuSet::parse);
        return new DevicePlace(node, cpus.orElse(null));
    }

    /** The same with processors from elsewhere where sysfs does not say. */
    public DevicePlace orCpus(Optional<CpuSet> other) {
        return cpus == null ? new DevicePlace(numaNode, other.orElse(null)) : this;
    }

    /** NVML writes eight digits of the domain, sysfs four, or as many as it takes. */
    private static String address(String pciBusId) {
        Matcher parts = ADDRESS.matcher(pciBusId.toLowerCase(Locale.ROOT));
        return parts.matches()
                ? String.format(Locale.ROOT, "%04x", Long.parseLong(parts.group(1), 16)) + parts.group(2)
                : pciBusId;
    }
}
