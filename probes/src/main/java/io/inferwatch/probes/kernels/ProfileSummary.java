package io.inferwatch.probes.kernels;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.probes.kernels.KernelCall.Counted;
import io.inferwatch.schemas.KernelProfile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a profile by kernel, stage, precision, layer and head. Counts add up; ratios are means weighted by what they are ratios of: hits of the last-level
 * cache by its requests where these were counted, everything else by the time of the call (by calls where no time was measured).
 */
final class ProfileSummary {
    private static final int MILLION = 1_000_000;

    private record Key(
            String kernel,
            @Nullable String stage,
            @Nullable String precision,
            @Nullable String layer,
            @Nullable String head) {}

    private static final class Row {
        private final QuantileSketch durationNanos = new QuantileSketch();
        private final Map<Counted, Double> sums = new EnumMap<>(Counted.class);
        private final Map<Counted, Double> weights = new EnumMap<>(Counted.class);
        private double l2Hits;
        private long calls;

        void add(KernelCall call) {
            calls++;
            Long duration = call.durationNanos();
            if (duration != null) {
                durationNanos.add(duration);
            }
            double weight = duration == null ? 1 : duration;
            for (Counted what : Counted.values()) {
                Double value = call.counted(what);
                if (value == null) {
                    continue;
                }
                boolean isRatio = isRatio(what);
                sums.merge(what, isRatio ? value * weight : value, Double::sum);
                weights.merge(what, isRatio ? weight : 1, Double::sum);
            }
            Double requests = call.counted(Counted.L2_REQUESTS);
            Double ratio = call.counted(Counted.L2_HIT_RATIO);
            l2Hits += requests == null || ratio == null ? 0 : requests * ratio;
        }

        private static boolean isRatio(Counted what) {
            return switch (what) {
                case L2_REQUESTS, L2_BYTES, DRAM_READ_BYTES, DRAM_WRITTEN_BYTES, FLOPS -> false;
                case INSTRUCTIONS_PER_CYCLE, L1_HIT_RATIO, L2_HIT_RATIO, OCCUPANCY_RATIO, TENSOR_RATIO, SM_RATIO ->
                    true;
            };
        }

        @Nullable
        Long total(Counted what) {
            Double sum = sums.get(what);
            return sum == null ? null : Math.round(sum);
        }

        @Nullable
        Long ppm(Counted what) {
            Double sum = sums.get(what);
            Double weight = weights.get(what);
            return sum == null || weight == null || weight == 0 ? null : Math.round(sum / weight * MILLION);
        }
    }

    private final Map<Key, Row> rows = new LinkedHashMap<>();
    private long calls;

    void add(KernelCall call) {
        calls++;
        rows.computeIfAbsent(
                        new Key(call.kernel(), call.stage(), call.precision(), call.layer(), call.head()),
                        key -> new Row())
                .add(call);
    }

    long calls() {
        return calls;
    }

    /** One record a row, without what the file does not say: replica, place, time, profiler. */
    List<KernelProfile> records() {
        List<KernelProfile> records = new ArrayList<>();
        rows.forEach((key, row) -> records.add(record(key, row)));
        return records;
    }

    private static KernelProfile record(Key key, Row row) {
        KernelProfile profile = new KernelProfile();
        profile.setKernel(key.kernel);
        profile.setStage(key.stage);
        profile.setPrecision(key.precision);
        profile.setLayer(key.layer);
        profile.setHead(key.head);
        profile.setCalls(row.calls);
        if (row.durationNanos.n() > 0) {
            profile.setDurationTotalNanos(row.durationNanos.sum());
            profile.setMinNanos(row.durationNanos.min());
            profile.setMaxNanos(row.durationNanos.max());
            profile.setDurationSketch(ByteBuffer.wrap(SketchEncoding.encode(row.durationNanos)));
        }
        profile.setInstructionsPerCyclePpm(row.ppm(Counted.INSTRUCTIONS_PER_CYCLE));
        profile.setL1HitPpm(row.ppm(Counted.L1_HIT_RATIO));
        Long requests = row.total(Counted.L2_REQUESTS);
        boolean hasHits = requests != null && requests > 0 && row.sums.containsKey(Counted.L2_HIT_RATIO);
        profile.setL2Requests(requests);
        profile.setL2Hits(hasHits ? Long.valueOf(Math.round(row.l2Hits)) : null);
        profile.setL2HitPpm(
                hasHits && requests != null
                        ? Long.valueOf(Math.round(row.l2Hits / requests * MILLION))
                        : row.ppm(Counted.L2_HIT_RATIO));
        profile.setL2Bytes(row.total(Counted.L2_BYTES));
        profile.setDramReadBytes(row.total(Counted.DRAM_READ_BYTES));
        profile.setDramWrittenBytes(row.total(Counted.DRAM_WRITTEN_BYTES));
        profile.setOccupancyPpm(row.ppm(Counted.OCCUPANCY_RATIO));
        profile.setTensorActivePpm(row.ppm(Counted.TENSOR_RATIO));
        profile.setSmActivePpm(row.ppm(Counted.SM_RATIO));
        profile.setFlops(row.total(Counted.FLOPS));
        return profile;
    }
}
