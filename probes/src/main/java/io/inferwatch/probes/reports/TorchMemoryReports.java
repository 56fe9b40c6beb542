package io.inferwatch.probes.reports;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.memory.FreeBlocks;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of PyTorch's caching allocator as {@code torch.cuda.memory_stats()} gives them, one flat object of numbers; keys that are not used pass. Which
 * GPU it is, the query says: {@code gpu=UUID}, or {@code device=INDEX} among the replica's. From a memory snapshot may be added: {@code free_blocks}, the sizes
 * of all free blocks, or {@code largest_free_bytes} alone; beside the first, {@code largest_request_bytes} tells what of them requests can use.
 */
final class TorchMemoryReports {
    private static final int MAX_BLOCKS = 100_000;

    private final GrowingTotals totals = new GrowingTotals();
    private final Map<String, Long> lastAtMicros = new HashMap<>();

    /** The sample of a report. */
    synchronized GpuSample sample(JsonNode stats, Map<String, String> query, KnownReporters reporters, long nowMicros)
            throws BadReportException {
        if (!stats.isObject() || !stats.has("reserved_bytes.all.current")) {
            throw new BadReportException("body: must be what torch.cuda.memory_stats() gives, with"
                    + " reserved_bytes.all.current, found " + (stats.isObject() ? "none" : stats.getNodeType()));
        }
        Reporter reporter = reporters.reporter(query.get("replica"));
        String gpu = reporters.admit("gpu", gpu(query, reporter));
        GpuSample sample = new GpuSample();
        sample.setSampledAtMicros(nowMicros);
        Long before = lastAtMicros.put(gpu, nowMicros);
        sample.setIntervalMicros(before == null ? 0 : nowMicros - before);
        sample.setGpu(gpu);
        sample.setReplica(reporter.replica());
        sample.setState(GpuState.OK);
        sample.setOrigin("torch");
        sample.setMarks(List.of());
        sample.setAgesMicros(Map.of());
        sample.setThrottleReasons(List.of());
        sample.setProcesses(List.of());
        sample.setAllocatedBytes(number(stats, "allocated_bytes.all.current"));
        sample.setAllocatorReservedBytes(number(stats, "reserved_bytes.all.current"));
        sample.setInactiveSplitBytes(number(stats, "inactive_split_bytes.all.current"));
        sample.setPeakAllocatedBytes(number(stats, "allocated_bytes.all.peak"));
        sample.setRequestedBytes(number(stats, "requested_bytes.all.current"));
        sample.setSegments(number(stats, "segment.all.current"));
        sample.setActiveBlocks(number(stats, "active.all.current"));
        sample.setInactiveSplitBlocks(number(stats, "inactive_split.all.current"));
        sample.setLargestFreeBlockBytes(number(stats, "largest_free_bytes"));
        setFreeBlocks(sample, stats);
        sample.setAllocationRetriesTotal(totals.grown(gpu + " retries", number(stats, "num_alloc_retries")));
        sample.setOutOfMemoryTotal(totals.grown(gpu + " ooms", number(stats, "num_ooms")));
        reporter.known().ifPresent(identity -> identity.place(sample));
        return sample;
    }

    private static void setFreeBlocks(GpuSample sample, JsonNode stats) throws BadReportException {
        Long request = number(stats, "largest_request_bytes");
        if (request != null && request == 0) {
            throw new BadReportException("largest_request_bytes: must be a whole number from 1 on, found 0");
        }
        sample.setLargestRequestBytes(request);
        JsonNode list = stats.get("free_blocks");
        if (list == null || list.isNull()) {
            return;
        }
        if (!list.isArray() || list.size() > MAX_BLOCKS) {
            throw new BadReportException("free_blocks: must be a list of at most " + MAX_BLOCKS + " sizes, found "
                    + (list.isArray() ? list.size() : list.getNodeType()));
        }
        long[] bytes = new long[list.size()];
        for (int i = 0; i < bytes.length; i++) {
            JsonNode size = list.get(i);
            if (!size.isIntegralNumber() || !size.canConvertToLong() || size.asLong() < 1) {
                throw new BadReportException("free_blocks: must be sizes from 1 on, found " + size);
            }
            bytes[i] = size.asLong();
        }
        FreeBlocks blocks = new FreeBlocks(bytes);
        sample.setLargestFreeBlockBytes(LongStream.of(bytes).max().orElse(0));
        if (request != null) {
            double share = blocks.unusableFor(request).map(Measured::value).orElse(0.0);
            sample.setUnusableFreeBytes(Math.round(share * blocks.totalBytes()));
        }
    }

    private static String gpu(Map<String, String> query, Reporter reporter) throws BadReportException {
        String named = query.get("gpu");
        if (named != null && !named.isBlank()) {
            return named;
        }
        List<String> gpus = reporter.known().map(ReplicaIdentity::gpuUuids).orElse(List.of());
        String device = query.getOrDefault("device", "0");
        if (device.matches("\\d{1,3}") && Integer.parseInt(device) < gpus.size()) {
            return gpus.get(Integer.parseInt(device));
        }
        throw new BadReportException("gpu: must be the UUID of the device, or device its index among the " + gpus.size()
                + " of the replica, found device '" + device + "'");
    }

    private static @Nullable Long number(JsonNode stats, String key) throws BadReportException {
        JsonNode value = stats.get(key);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
            throw new BadReportException(key + ": must be a whole number from 0 on, found " + value);
        }
        return value.asLong();
    }
}
