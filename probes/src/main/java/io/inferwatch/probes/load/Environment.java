package io.inferwatch.probes.load;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a run was made, since the same load from another machine need not give the same figures.
 *
 * @param governor of the first processor's frequency; null where Linux does not say
 * @param collectorMillis time in garbage collections during the run
 * @param loadAverage of the machine at the end; null where it is not known
 */
record Environment(
        int processors,
        String java,
        String system,
        @Nullable String governor,
        long collectorMillis,
        @Nullable Double loadAverage) {
    private static final Path GOVERNOR = Path.of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

    /** As it is now, collections since some reading of {@link #collectorMillisSoFar()}. */
    static Environment since(long collectorMillisBefore) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return new Environment(
                Runtime.getRuntime().availableProcessors(),
                Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                governorOfFirst(),
                collectorMillisSoFar() - collectorMillisBefore,
                load < 0 ? null : (Double) load);
    }

    static long collectorMillisSoFar() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .filter(millis -> millis > 0)
                .sum();
    }

    private static @Nullable String governorOfFirst() {
        try {
            return Files.readString(GOVERNOR).trim();
        } catch (IOException e) {
            return null;
        }
    }
}
