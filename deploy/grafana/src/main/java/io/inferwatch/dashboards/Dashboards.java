package io.inferwatch.dashboards;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** All dashboards, in the order in which one looks at them. */
public final class Dashboards {
    private Dashboards() {}

    /** From the source, with the names of the catalogue that is shipped. */
    public static List<Dashboard> all() {
        Stored stored = new Stored(MetricCatalogue.shipped());
        return List.of(
                FleetDashboard.of(stored),
                LatencyDashboard.of(stored),
                DriftDashboard.of(stored),
                AnomalyDashboard.of(),
                ChainDashboard.of(stored),
                EngineDashboard.of(stored),
                GpuDashboard.of(stored),
                BottleneckDashboard.of(stored),
                MemoryDashboard.of(stored),
                SloDashboard.of(),
                CostDashboard.of(),
                RunsDashboard.of(stored),
                AlertsDashboard.of(),
                HealthDashboard.of());
    }

    /** The committed file of each dashboard, in the same order. */
    public static List<byte[]> files() {
        return all().stream().map(dashboard -> read(fileName(dashboard))).toList();
    }

    /** The name of a dashboard's file. */
    static String fileName(Dashboard dashboard) {
        return dashboard.uid() + ".json";
    }

    private static byte[] read(String name) {
        try (InputStream in = Dashboards.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be read", e);
        }
    }
}
