package io.inferwatch.simulation.http;

import io.inferwatch.simulation.memory.DeviceState;
import io.inferwatch.simulation.serving.ServerSpec;

/** The page of a DCGM exporter for the server's device: its memory, in mebibytes, as there. */
final class GpuMetrics {
    private static final double MIB = 1 << 20;

    private GpuMetrics() {}

    static String page(ServerSpec spec, DeviceState device) {
        ExpositionText page =
                new ExpositionText("gpu=\"0\",UUID=\"%s\",modelName=\"Simulated A100 80GB\",Hostname=\"%s\""
                        .formatted(device.uuid(), spec.node()));
        gauge(page, "DCGM_FI_DEV_FB_TOTAL", "device memory (in MiB).", device.totalBytes());
        gauge(page, "DCGM_FI_DEV_FB_USED", "device memory used (in MiB).", device.usedBytes());
        gauge(page, "DCGM_FI_DEV_FB_FREE", "device memory free (in MiB).", device.freeBytes());
        return page.toString();
    }

    private static void gauge(ExpositionText page, String name, String help, long bytes) {
        page.family(name, "gauge", help);
        page.sample(name, "", bytes / MIB);
    }
}
