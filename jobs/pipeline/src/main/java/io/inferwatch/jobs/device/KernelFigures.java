package io.inferwatch.jobs.device;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.kernel.CacheUse;
import io.inferwatch.analytics.kernel.CallTimes;
import io.inferwatch.analytics.kernel.MeanOverTime;
import io.inferwatch.analytics.kernel.SideBySide;
import io.inferwatch.analytics.kernel.TimingSource;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.schemas.KernelProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Figures of kernel profiles: caches by the mix of precisions, and stages by who timed them. */
final class KernelFigures {
    private static final double NANOS = 1e-9;

    private KernelFigures() {}

    /** Kernels of one mix of precisions. */
    private record Mix(CacheUse secondLevel, MeanOverTime firstLevelHits, MeanOverTime instructions) {
        static Mix of(KernelProfile profile) {
            return new Mix(
                    CacheUse.of(profile.getL2Requests(), hits(profile), profile.getL2Bytes()),
                    MeanOverTime.of(profile.getDurationTotalNanos(), profile.getL1HitPpm()),
                    MeanOverTime.of(profile.getDurationTotalNanos(), profile.getInstructionsPerCyclePpm()));
        }

        /** A profile that tells more hits than requests contradicts itself: its hits are not known. */
        private static @Nullable Long hits(KernelProfile profile) {
            Long hits = profile.getL2Hits();
            Long requests = profile.getL2Requests();
            return hits == null || requests == null || hits > requests ? null : hits;
        }

        Mix plus(Mix other) {
            return new Mix(
                    secondLevel.plus(other.secondLevel),
                    firstLevelHits.plus(other.firstLevelHits),
                    instructions.plus(other.instructions));
        }
    }

    /** One for each mix of precisions among profiles of one replica. */
    static List<MinuteFigures> caches(List<KernelProfile> profiles) {
        Map<String, Mix> mixes = new TreeMap<>();
        for (KernelProfile profile : profiles) {
            String precision = profile.getPrecision();
            mixes.merge(precision == null ? "" : precision, Mix.of(profile), Mix::plus);
        }
        List<MinuteFigures> all = new ArrayList<>();
        mixes.forEach((precision, mix) -> {
            CacheUse cache = mix.secondLevel;
            boolean isTold = cache.judgedRequests() > 0
                    || cache.measuredRequests() > 0
                    || mix.firstLevelHits.nanos() > 0
                    || mix.instructions.nanos() > 0;
            if (isTold) {
                all.add(of(Measurement.KERNEL_CACHE, profiles.get(0))
                        .tag("precision", precision)
                        .count(Field.CACHE_REQUESTS, cache.judgedRequests())
                        .count(Field.KERNELS_LEFT_OUT, cache.leftOut())
                        .value(Field.L2_MISS_RATIO, cache.missRate())
                        .value(Field.L2_BYTES_PER_REQUEST, cache.bytesPerRequest())
                        .value(Field.L1_HIT_RATIO, mix.firstLevelHits.rate())
                        .value(Field.INSTRUCTIONS_PER_CYCLE, mix.instructions.rate()));
            }
        });
        return all;
    }

    /** One for each stage that some source has timed. */
    static List<MinuteFigures> timings(SourceTimes.BySource sources, List<KernelProfile> profiles) {
        List<MinuteFigures> all = new ArrayList<>();
        for (String stage : sources.stages()) {
            SideBySide times = sources.stage(stage);
            MinuteFigures figures = of(Measurement.KERNEL_TIMING, profiles.get(0))
                    .tag(Field.STAGE, stage)
                    .value(Field.DISAGREEMENT, times.disagreement());
            for (Map.Entry<TimingSource, CallTimes> source : times.times().entrySet()) {
                String name = source.getKey().name().toLowerCase(Locale.ROOT);
                figures.count(Field.calls(name), source.getValue().calls())
                        .value(
                                Field.estimate(name, "seconds"),
                                source.getValue().meanNanos() * NANOS);
                times.compare(TimingSource.CUDA_EVENTS, source.getKey())
                        .filter(compared -> source.getKey() != TimingSource.CUDA_EVENTS)
                        .filter(Comparison.Measured.class::isInstance)
                        .map(Comparison.Measured.class::cast)
                        .ifPresent(compared -> figures.value(Field.estimate(name, Field.CHANGE), compared.change())
                                .value(Field.low(name, Field.CHANGE), compared.low())
                                .value(Field.high(name, Field.CHANGE), compared.high()));
            }
            all.add(figures);
        }
        return all;
    }

    private static MinuteFigures of(Measurement measurement, KernelProfile profile) {
        return new MinuteFigures(measurement, "kernel-layer")
                .tag("replica", profile.getReplica())
                .tag("model", profile.getModel());
    }
}
