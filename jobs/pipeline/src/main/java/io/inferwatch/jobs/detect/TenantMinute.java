package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A tenant's minute on one replica.
 *
 * @param meanMicros of TTFT
 * @param ttft its sketch, encoded
 * @param tokens that were computed for it, prompts and answers
 * @param othersTokens the same for all others on that replica
 * @param memoryShare of the limit of the serving process' control group; not a number where there is none, like the others
 * @param cpuShare of the limit of its processor time
 * @param throttledShare of the minute
 */
public record TenantMinute(
        String tenant,
        String replica,
        long endMicros,
        double meanMicros,
        byte[] ttft,
        long tokens,
        long othersTokens,
        double memoryShare,
        double cpuShare,
        double throttledShare) {
    private static final double PPM = 1e-6;

    /** Those of all tenants of a replica. */
    static List<TenantMinute> of(ReplicaWindows windows) {
        List<WindowReading> tenants = windows.readings(ReplicaWindows.OF_TENANTS);
        long all = tenants.stream().mapToLong(TenantMinute::tokens).sum();
        List<TenantMinute> minutes = new ArrayList<>();
        for (WindowReading tenant : tenants) {
            Optional<QuantileSketch> ttft = tenant.distribution("ttft");
            String name = tenant.dimension("tenant");
            if (name.equals(GroupingDimension.NONE)
                    || ttft.isEmpty()
                    || ttft.get().n() == 0) {
                continue;
            }
            long own = tokens(tenant);
            minutes.add(new TenantMinute(
                    name,
                    tenant.dimension("replica"),
                    tenant.window().getWindowEndMicros(),
                    ttft.get().mean(),
                    SketchEncoding.encode(ttft.get()),
                    own,
                    all - own,
                    memoryShare(windows),
                    cpuShare(windows),
                    perDevice(windows, "cgroup_throttled")));
        }
        return minutes;
    }

    private static long tokens(WindowReading tenant) {
        return tenant.sum("prefilled_tokens") + tenant.sum("generated_tokens");
    }

    private static double memoryShare(ReplicaWindows windows) {
        return windows.mean(ReplicaWindows.OF_GPUS, "cgroup_memory").orElse(Double.NaN)
                / windows.mean(ReplicaWindows.OF_GPUS, "cgroup_memory_limit").orElse(Double.NaN);
    }

    private static double cpuShare(ReplicaWindows windows) {
        return perDevice(windows, "cgroup_cpu")
                / (PPM
                        * windows.mean(ReplicaWindows.OF_GPUS, "cgroup_cpu_limit")
                                .orElse(Double.NaN));
    }

    /** Of a second: each device of the replica tells of the same processes. */
    private static double perDevice(ReplicaWindows windows, String metric) {
        double held = windows.readings(ReplicaWindows.OF_GPUS).stream()
                .mapToLong(reading -> reading.gauge("cgroup_memory")
                        .map(MetricGauge::getHeldMicros)
                        .orElse(0L))
                .sum();
        return held == 0 ? Double.NaN : windows.sum(ReplicaWindows.OF_GPUS, metric) / held;
    }
}
