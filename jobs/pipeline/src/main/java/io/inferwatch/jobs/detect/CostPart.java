package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.cost.CostShares;
import io.inferwatch.analytics.cost.DeviceWork;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What somebody did to a model's cost in a window: a replica's devices for one version, or a tenant by its tokens alone. Times are of all devices together.
 *
 * @param model whose cost is computed together
 * @param product of the devices; empty of a tenant
 * @param tenant empty of devices
 * @param isStaged whether somebody told prefill from decode
 * @param answered requests, in full
 */
public record CostPart(
        String model,
        String version,
        String product,
        String tenant,
        long windowMicros,
        long endMicros,
        boolean isStaged,
        double seconds,
        double idleSeconds,
        double prefillSeconds,
        double kvSyncSeconds,
        double communicationSeconds,
        long prefilledTokens,
        long generatedTokens,
        long answered,
        long preemptedTokens,
        long failedTokens) {
    static final String OF_TENANTS = "tenant-model";

    private static final double MICROS = 1e-6;
    private static final double NANOS = 1e-9;
    private static final double PPM = 1e-6;

    /** A tenant's, of a window of {@link #OF_TENANTS}. */
    static CostPart ofTenant(WindowStat window) {
        WindowReading reading = new WindowReading(window);
        return new CostPart(
                reading.dimension("model"),
                "",
                "",
                reading.dimension("tenant"),
                window.getWindowMicros(),
                window.getWindowEndMicros(),
                false,
                0,
                0,
                0,
                0,
                0,
                reading.sum("prefilled_tokens"),
                reading.sum("generated_tokens"),
                reading.sum("completed"),
                0,
                reading.sum("failed_tokens"));
    }

    /**
     * Those of a replica, one for each version that it ran; none without readings of its devices.
     *
     * <p>Devices that told no utilisation count as busy. Busy time is parted like requests' time on the engine, by prefill, moving of KV caches and decode,
     * as {@code prefill_of_gpu} of the stages is, since requests of a batch share the device. Versions share it by their tokens. A replica's devices are taken to be of the product that most of them are.
     */
    static List<CostPart> ofReplica(ReplicaWindows windows) {
        List<WindowReading> devices = windows.readings(ReplicaWindows.OF_PRODUCTS);
        double seconds = devices.stream().mapToDouble(CostPart::heldSeconds).sum();
        if (seconds == 0) {
            return List.of();
        }
        WindowReading most = devices.stream()
                .max((one, other) -> Double.compare(heldSeconds(one), heldSeconds(other)))
                .orElseThrow();
        double idle = devices.stream().mapToDouble(CostPart::idleSeconds).sum();
        double communication = NANOS * total(windows, ReplicaWindows.OF_OPERATORS, "communication");
        double prefill = total(windows, ReplicaWindows.OF_REQUESTS, "prefill");
        double decode = total(windows, ReplicaWindows.OF_REQUESTS, "decode");
        double kvSync = windows.sum(ReplicaWindows.OF_ENGINE, "kv_transfer");
        boolean isStaged = prefill + decode > 0;
        double onEngine = isStaged ? prefill + decode + kvSync : 1;
        double working = Math.max(0, seconds - idle - communication);
        Map<String, CostPart> byVersion = tokens(windows, most);
        DeviceWork work = new DeviceWork(
                seconds,
                idle,
                isStaged ? working * prefill / onEngine : 0,
                isStaged ? working * kvSync / onEngine : 0,
                communication,
                0,
                0,
                0,
                0,
                0);
        Map<String, CostShares.Tokens> tokens = new TreeMap<>();
        byVersion.forEach((version, part) ->
                tokens.put(version, new CostShares.Tokens(part.prefilledTokens, part.generatedTokens)));
        Map<String, Double> shares = CostShares.of(work, tokens);
        List<CostPart> parts = new ArrayList<>();
        byVersion.forEach((version, part) -> parts.add(part.with(work, shares.getOrDefault(version, 0.0), isStaged)));
        return parts;
    }

    /** By version, without times. */
    private static Map<String, CostPart> tokens(ReplicaWindows windows, WindowReading device) {
        List<WindowReading> requests = windows.readings(ReplicaWindows.OF_REQUESTS);
        List<WindowReading> engines = windows.readings(ReplicaWindows.OF_ENGINE);
        String model = known(device.dimension("model"), engines, "model");
        Map<String, CostPart> byVersion = new TreeMap<>();
        for (WindowReading window : requests) {
            byVersion.merge(
                    window.dimension("version"),
                    of(
                            device,
                            model,
                            window.dimension("version"),
                            window.sum("prefilled_tokens"),
                            window.sum("generated_tokens"),
                            window.sum("completed"),
                            0,
                            window.sum("failed_tokens")),
                    CostPart::plus);
        }
        if (byVersion.isEmpty()) {
            String version = known(GroupingDimension.NONE, engines, "version");
            byVersion.put(version, of(device, model, version, 0, 0, 0, 0, 0));
        }
        for (WindowReading engine : engines) {
            long lost = engine.sum("retracted_tokens");
            // Lost tokens were generated too.
            byVersion.computeIfPresent(
                    engine.dimension("version"),
                    (version, part) -> part.plus(of(device, model, version, 0, lost, 0, lost, 0)));
        }
        return byVersion;
    }

    private static CostPart of(
            WindowReading device,
            String model,
            String version,
            long prefilled,
            long generated,
            long answered,
            long preempted,
            long failed) {
        return new CostPart(
                model,
                version,
                device.dimension("product"),
                "",
                device.window().getWindowMicros(),
                device.window().getWindowEndMicros(),
                false,
                0,
                0,
                0,
                0,
                0,
                prefilled,
                generated,
                answered,
                preempted,
                failed);
    }

    private static String known(String told, List<WindowReading> others, String dimension) {
        return told.equals(GroupingDimension.NONE)
                ? others.stream()
                        .map(other -> other.dimension(dimension))
                        .findFirst()
                        .orElse(GroupingDimension.NONE)
                : told;
    }

    private static double total(ReplicaWindows windows, String view, String metric) {
        return windows.readings(view).stream()
                .mapToDouble(reading -> reading.distribution(metric)
                        .map(sketch -> (double) sketch.sum())
                        .orElse(0.0))
                .sum();
    }

    private static double heldSeconds(WindowReading device) {
        return Math.max(held(device, "gpu_memory"), held(device, "gpu_busy"));
    }

    private static double held(WindowReading device, String metric) {
        return MICROS * device.gauge(metric).map(MetricGauge::getHeldMicros).orElse(0L);
    }

    private static double idleSeconds(WindowReading device) {
        return device.gauge("gpu_busy")
                .map(busy -> MICROS * Math.max(0, busy.getHeldMicros() - PPM * busy.getHeldSum()))
                .orElse(0.0);
    }

    private CostPart with(DeviceWork work, double share, boolean staged) {
        return new CostPart(
                model,
                version,
                product,
                tenant,
                windowMicros,
                endMicros,
                staged,
                share * work.seconds(),
                share * work.idleSeconds(),
                share * work.prefillSeconds(),
                share * work.kvSyncSeconds(),
                share * work.communicationSeconds(),
                prefilledTokens,
                generatedTokens,
                answered,
                preemptedTokens,
                failedTokens);
    }

    /** Both together, under the names of this one. Where one of them is not staged, neither is the whole. */
    CostPart plus(CostPart other) {
        return new CostPart(
                model,
                version,
                product,
                tenant,
                windowMicros,
                endMicros,
                (isStaged || generatedTokens == 0)
                        && (other.isStaged || other.generatedTokens == 0)
                        && (isStaged || other.isStaged),
                seconds + other.seconds,
                idleSeconds + other.idleSeconds,
                prefillSeconds + other.prefillSeconds,
                kvSyncSeconds + other.kvSyncSeconds,
                communicationSeconds + other.communicationSeconds,
                prefilledTokens + other.prefilledTokens,
                generatedTokens + other.generatedTokens,
                answered + other.answered,
                preemptedTokens + other.preemptedTokens,
                failedTokens + other.failedTokens);
    }

    boolean isOfDevices() {
        return !product.isEmpty();
    }

    /** What is added up. */
    String key() {
        return windowMicros + " " + endMicros + " " + version + " " + product + " " + tenant;
    }

    /** As the mathematics takes it. */
    DeviceWork work() {
        return new DeviceWork(
                seconds,
                idleSeconds,
                prefillSeconds,
                kvSyncSeconds,
                communicationSeconds,
                prefilledTokens,
                generatedTokens,
                answered,
                preemptedTokens,
                failedTokens);
    }
}
