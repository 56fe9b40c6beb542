package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.AllocatorReading;
import io.inferwatch.analytics.memory.DeviceMemory;
import io.inferwatch.analytics.memory.DeviceMemory.Part;
import io.inferwatch.analytics.memory.Trend;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MemoryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A device in one minute: where its memory goes ({@code memory}) and its allocator's fragmentation ({@code fragmentation}). Its own windows and those of the
 * engines on it are joined by its id; what engines tell is added up over these. A device is a risk when it is used by so much and its peaks surely
 * fill it within the horizon; an allocator when so much of it is split, or of no use to its largest request, and allocations were retried or failed.
 */
final class DeviceFigures {
    /** Name of the alert of a device, or a KV cache, that fills. */
    static final String MEMORY_ALERT = "memory";

    /** Name of the alert of fragmentation that costs allocations. */
    static final String FRAGMENTATION_ALERT = "fragmentation";

    /** Several engines on one device. */
    private static final String SEVERAL = "several";

    private static final String BYTES = "bytes";
    private static final double MILLIONTHS = 1e-6;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final Map<Part, String> FIELDS = Map.of(
            Part.WEIGHTS, Field.WEIGHTS,
            Part.KV_CACHE, Field.KV_CACHE_PART,
            Part.GRAPHS, Field.GRAPHS,
            Part.WORKSPACE, Field.WORKSPACE,
            Part.FRAGMENTATION, Field.FRAGMENTED,
            Part.OTHER, Field.OTHER_PART);

    /** Share of the allocator by metric and field. */
    private static final List<List<String>> SHARES = List.of(
            List.of("allocator_cache_share", Field.CACHE_SHARE),
            List.of("allocator_split_share", Field.SPLIT_SHARE),
            List.of("allocator_external_share", Field.EXTERNAL_SHARE),
            List.of("allocator_unusable_share", Field.UNUSABLE_SHARE));

    private final String subject;
    private final WindowGroup device;
    private final WindowGroup engines;
    private final Histories histories;
    private final MemoryLimits limits;
    private final List<Dimension> tags;

    /** Of a group's windows; {@code subject} is its name. */
    DeviceFigures(String subject, Gathering.Group group, Histories histories, MemoryLimits limits) {
        this.subject = subject;
        this.device = WindowGroup.of(group.byArm().values(), "gpu");
        this.engines = WindowGroup.of(group.byArm().values(), "device");
        this.histories = histories;
        this.limits = limits;
        this.tags = device.isEmpty() ? List.of() : tags(device, engines);
    }

    /** What the minute tells; nothing without a sample of the device itself. */
    MemoryFindings findings() throws Exception {
        List<FigureResult> results = new ArrayList<>();
        List<MemoryRisk> risks = new ArrayList<>();
        if (!device.isEmpty()) {
            addMemory(results, risks);
            addFragmentation(results, risks);
        }
        return new MemoryFindings(results, risks);
    }

    private void addMemory(List<FigureResult> results, List<MemoryRisk> risks) throws Exception {
        OptionalLong capacity = device.whole("gpu_memory");
        OptionalLong used = device.whole("gpu_memory_used");
        OptionalDouble peak = device.peak("gpu_memory_used");
        if (capacity.isEmpty() || used.isEmpty() || peak.isEmpty() || capacity.getAsLong() == 0) {
            return;
        }
        MinuteHistory history = histories.plus(
                "used", device.first().getWindowEndMicros(), (double) used.getAsLong(), peak.getAsDouble());
        MemoryTrend trend = new MemoryTrend(history.trend(), (double) capacity.getAsLong());
        FigureBuilder result = builder(Measurement.MEMORY)
                .value(Field.estimate(Field.CAPACITY, BYTES), (double) capacity.getAsLong())
                .value(Field.estimate(Field.USED, BYTES), (double) used.getAsLong())
                .value(Field.estimate(Field.USED_MAX, BYTES), peak.getAsDouble())
                .count(Field.CLAMPED, 0);
        new DeviceMemory(
                        used.getAsLong(),
                        boxed(engines.total("weight_memory")),
                        boxed(engines.total("kv_cache_memory")),
                        boxed(engines.total("graph_memory")),
                        allocator().orElse(null))
                .waterfall()
                .forEach((part, figure) -> result.figure(FIELDS.getOrDefault(part, ""), BYTES, figure));
        trend.addTo(result, "bytes_per_second", 1);
        results.add(result.build());

        double use = peak.getAsDouble() / capacity.getAsLong();
        List<Evidence> evidence = new ArrayList<>();
        DriftAlerts.add(evidence, "share of device memory used", use, limits.memoryUse(), "at most in the minute");
        trend.addTo(evidence);
        risks.add(new MemoryRisk(
                MEMORY_ALERT,
                subject,
                device.first().getView(),
                tags,
                use >= limits.memoryUse() && trend.isFullWithin(limits.memoryHorizon()),
                String.format(Locale.ROOT, "device memory is used by %.0f %%, %s", 100 * use, trend.text()),
                evidence));
    }

    private void addFragmentation(List<FigureResult> results, List<MemoryRisk> risks) throws Exception {
        if (device.mean("allocator_cache_share").isEmpty()) {
            return;
        }
        long retries = device.sum("allocation_retries");
        long failures = device.sum("out_of_memory");
        FigureBuilder result = builder(Measurement.FRAGMENTATION)
                .count(Field.ALLOCATION_RETRIES, retries)
                .count(Field.OUT_OF_MEMORY, failures);
        for (List<String> share : SHARES) {
            device.mean(share.get(0)).ifPresent(ppm -> result.value(share.get(1), ppm * MILLIONTHS));
        }
        OptionalDouble split = device.mean("allocator_split_share");
        OptionalDouble greatest = device.peak("allocator_split_share");
        if (split.isPresent() && greatest.isPresent()) {
            MinuteHistory history = histories.plus(
                    "split", device.first().getWindowEndMicros(), split.getAsDouble(), greatest.getAsDouble());
            result.estimate(
                    Field.SPLIT_GROWTH,
                    Field.estimated("per_hour"),
                    MILLIONTHS * SECONDS_PER_HOUR,
                    history.trend().map(Trend::perSecond));
        }
        results.add(result.build());

        double splitShare = split.orElse(0) * MILLIONTHS;
        double unusable = device.mean("allocator_unusable_share").orElse(0) * MILLIONTHS;
        List<Evidence> evidence = new ArrayList<>();
        DriftAlerts.add(
                evidence, "share of free parts of split blocks", splitShare, limits.splitShare(), "of reserved");
        DriftAlerts.add(
                evidence,
                "share of free memory that the largest request cannot use",
                unusable,
                limits.unusableShare(),
                "of what is free in the allocator; 0 without a snapshot");
        DriftAlerts.add(evidence, "allocations retried", (double) retries, 0.0, "in the minute");
        DriftAlerts.add(evidence, "allocations failed", (double) failures, 0.0, "in the minute");
        boolean isFragmented = splitShare >= limits.splitShare() || unusable >= limits.unusableShare();
        risks.add(new MemoryRisk(
                FRAGMENTATION_ALERT,
                subject,
                device.first().getView(),
                tags,
                isFragmented && retries + failures > 0,
                String.format(
                        Locale.ROOT,
                        "%.0f %% of the allocator's memory are free parts of split blocks, %.0f %% of what is free is of no use to the largest request; %d allocations retried, %d failed",
                        100 * splitShare,
                        100 * unusable,
                        retries,
                        failures),
                evidence));
    }

    /** The allocator on average; empty where it does not tell, or where what it told contradicted itself. */
    private Optional<AllocatorReading> allocator() {
        OptionalLong allocated = device.whole("allocator_allocated");
        OptionalLong reserved = device.whole("allocator_reserved");
        if (allocated.isEmpty()
                || reserved.isEmpty()
                || device.mean("allocator_cache_share").isEmpty()) {
            return Optional.empty();
        }
        long free = reserved.getAsLong() - allocated.getAsLong();
        OptionalLong split = device.whole("allocator_inactive_split");
        try {
            return Optional.of(new AllocatorReading(
                    allocated.getAsLong(),
                    reserved.getAsLong(),
                    // Each mean is rounded by itself.
                    split.isEmpty() ? null : Long.valueOf(split.getAsLong() == free + 1 ? free : split.getAsLong()),
                    null));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private FigureBuilder builder(Measurement measurement) {
        return new FigureBuilder(measurement.measurementName(), device.first(), tags).count(Field.N, device.samples());
    }

    private static List<Dimension> tags(WindowGroup device, WindowGroup engines) {
        List<Dimension> tags = new ArrayList<>();
        for (Dimension dimension : device.first().getDimensions()) {
            tags.add(new Dimension(dimension.getName(), device.dimension(dimension.getName(), GroupingDimension.NONE)));
        }
        List<String> replicas = engines.readings().stream()
                .map(reading -> reading.dimension("replica"))
                .distinct()
                .toList();
        tags.add(new Dimension(
                "replica",
                replicas.isEmpty() ? GroupingDimension.NONE : replicas.size() == 1 ? replicas.get(0) : SEVERAL));
        return tags;
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isEmpty() ? null : Long.valueOf(value.getAsLong());
    }
}
