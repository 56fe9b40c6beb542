package io.inferwatch.jobs.device;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.kernel.CallTimes;
import io.inferwatch.analytics.kernel.SideBySide;
import io.inferwatch.analytics.kernel.TimingSource;
import io.inferwatch.jobs.ingest.SampleFields;
import io.inferwatch.schemas.KernelProfile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What one source's latest profile says of each stage's calls. */
final class SourceTimes {
    private static final int VERSION = 1;
    private static final int MOST = 1_000;

    private final String profile;
    private final Map<String, Sum> stages = new TreeMap<>();
    private long atMicros;

    /** Calls of a stage; of those told one by one the first moments. */
    private record Sum(long calls, long nanos, long n, double mean, double squares) {
        Sum plus(Sum other) {
            long both = n + other.n;
            double share = both == 0 ? 0 : (double) other.n / both;
            double distance = other.mean - mean;
            return new Sum(
                    calls + other.calls,
                    nanos + other.nanos,
                    both,
                    mean + distance * share,
                    squares + other.squares + distance * distance * n * share);
        }

        CallTimes times() {
            boolean isEachTold = n == calls && n > 1;
            return new CallTimes(calls, nanos, isEachTold ? new Moments(n, mean, squares / (n - 1)) : null);
        }
    }

    private SourceTimes(String profile, long atMicros) {
        this.profile = profile;
        this.atMicros = atMicros;
    }

    /** The sources of a replica, by their names. */
    static final class BySource {
        private final Map<String, SourceTimes> all = new TreeMap<>();

        void put(String source, SourceTimes times) {
            all.put(source, times);
        }

        Map<String, SourceTimes> all() {
            return all;
        }

        /** Takes a profile in; another one of a source than before replaces that. What has no time, or an unknown source, says nothing. */
        void add(KernelProfile profile) {
            Optional<TimingSource> source = source(profile);
            if (source.isEmpty() || profile.getDurationTotalNanos() == null || profile.getCalls() < 1) {
                return;
            }
            SourceTimes before = all.get(source.get().name());
            SourceTimes present = before != null && before.profile.equals(profile.getProfile())
                    ? before
                    : new SourceTimes(profile.getProfile(), profile.getProfiledAtMicros());
            present.add(profile);
            all.put(source.get().name(), present);
        }

        /** A stage as all sources timed it. */
        SideBySide stage(String stage) {
            Map<TimingSource, CallTimes> times = new EnumMap<>(TimingSource.class);
            all.forEach((source, of) -> {
                Sum sum = of.stages.get(stage);
                if (sum != null) {
                    times.put(TimingSource.valueOf(source), sum.times());
                }
            });
            return new SideBySide(times);
        }

        Set<String> stages() {
            Set<String> stages = new TreeSet<>();
            all.values().forEach(source -> stages.addAll(source.stages.keySet()));
            return stages;
        }

        private static Optional<TimingSource> source(KernelProfile profile) {
            return switch (profile.getProfiler()) {
                case CUDA_EVENTS -> Optional.of(TimingSource.CUDA_EVENTS);
                case KINETO -> Optional.of(TimingSource.KINETO);
                case NSIGHT_COMPUTE -> Optional.of(TimingSource.NSIGHT_COMPUTE);
                case UNKNOWN -> Optional.empty();
            };
        }
    }

    private void add(KernelProfile profile) {
        String stage = profile.getStage() == null ? profile.getKernel() : profile.getStage();
        Moments moments = moments(profile.getDurationSketch());
        Sum sum = new Sum(
                profile.getCalls(),
                profile.getDurationTotalNanos(),
                moments.n(),
                moments.mean(),
                moments.variance() * Math.max(0, moments.n() - 1));
        if (stages.containsKey(stage) || stages.size() < MOST) {
            stages.merge(stage, sum, Sum::plus);
        }
        atMicros = Math.max(atMicros, profile.getProfiledAtMicros());
    }

    private static Moments moments(@Nullable ByteBuffer sketch) {
        return sketch == null ? new Moments(0, 0, 0) : Moments.of(SampleFields.sketch(sketch));
    }

    long atMicros() {
        return atMicros;
    }

    static SourceTimes read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readByte();
        if (version != VERSION) {
            throw new IOException("times of a profile: version must be " + VERSION + ", found " + version);
        }
        SourceTimes times = new SourceTimes(in.readUTF(), in.readLong());
        for (int i = in.readInt(); i > 0; i--) {
            times.stages.put(
                    in.readUTF(),
                    new Sum(in.readLong(), in.readLong(), in.readLong(), in.readDouble(), in.readDouble()));
        }
        return times;
    }

    byte[] write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(VERSION);
        out.writeUTF(profile);
        out.writeLong(atMicros);
        out.writeInt(stages.size());
        for (Map.Entry<String, Sum> stage : stages.entrySet()) {
            out.writeUTF(stage.getKey());
            out.writeLong(stage.getValue().calls);
            out.writeLong(stage.getValue().nanos);
            out.writeLong(stage.getValue().n);
            out.writeDouble(stage.getValue().mean);
            out.writeDouble(stage.getValue().squares);
        }
        return bytes.toByteArray();
    }
}
