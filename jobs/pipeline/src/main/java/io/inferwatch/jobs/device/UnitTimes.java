package io.inferwatch.jobs.device;

import io.inferwatch.analytics.contention.LostTime;
import io.inferwatch.analytics.drift.Moments;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Durations of a unit's operations under one schedule since that began, by size, those that met others apart from those that did not; beside
 * them what the schedule before cost. Some kB a unit.
 */
final class UnitTimes {
    private final String schedule;
    private final Map<Integer, LostTime.Bucket> buckets = new TreeMap<>();
    private final String scheduleBefore;
    private final @Nullable LostTime before;

    private UnitTimes(String schedule, String scheduleBefore, @Nullable LostTime before) {
        this.schedule = schedule;
        this.scheduleBefore = scheduleBefore;
        this.before = before;
    }

    static UnitTimes begun(String schedule) {
        return new UnitTimes(schedule, "", null);
    }

    /** The same unit under this schedule: itself, or a new beginning that remembers what the one before cost. */
    UnitTimes under(String present) {
        return present.equals(schedule) ? this : new UnitTimes(present, schedule, lost().orElse(before));
    }

    void add(UnitOperation operation, boolean isShared) {
        buckets.merge(
                operation.bucket(),
                isShared ? bucket(NONE, one(operation)) : bucket(one(operation), NONE),
                (one, two) -> bucket(plus(one.alone(), two.alone()), plus(one.shared(), two.shared())));
    }

    private static final Moments NONE = new Moments(0, 0, 0);

    private static Moments one(UnitOperation operation) {
        return new Moments(1, operation.micros(), 0);
    }

    private static LostTime.Bucket bucket(Moments alone, Moments shared) {
        return new LostTime.Bucket(alone, shared);
    }

    private static Moments plus(Moments one, Moments two) {
        long n = one.n() + two.n();
        if (n < 2) {
            return one.n() == 0 ? two : one;
        }
        double distance = two.mean() - one.mean();
        double share = (double) two.n() / n;
        double squares = one.variance() * Math.max(0, one.n() - 1)
                + two.variance() * Math.max(0, two.n() - 1)
                + distance * distance * one.n() * share;
        return new Moments(n, one.mean() + distance * share, squares / (n - 1));
    }

    String schedule() {
        return schedule;
    }

    /** The schedule before; empty when there was none. */
    Optional<String> scheduleBefore() {
        return scheduleBefore.isEmpty() ? Optional.empty() : Optional.of(scheduleBefore);
    }

    /** What is lost with an operation; empty while too few met others, or none. */
    Optional<LostTime> lost() {
        return LostTime.of(List.copyOf(buckets.values()));
    }

    /** What was lost under the schedule before. */
    Optional<LostTime> lostBefore() {
        return Optional.ofNullable(before);
    }

    static UnitTimes read(DataInputStream in) throws IOException {
        String schedule = in.readUTF();
        String scheduleBefore = in.readUTF();
        LostTime before = in.readBoolean()
                ? new LostTime(in.readDouble(), in.readDouble(), in.readDouble(), in.readLong(), in.readLong())
                : null;
        UnitTimes times = new UnitTimes(schedule, scheduleBefore, before);
        for (int i = in.readInt(); i > 0; i--) {
            times.buckets.put(in.readInt(), bucket(moments(in), moments(in)));
        }
        return times;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeUTF(schedule);
        out.writeUTF(scheduleBefore);
        out.writeBoolean(before != null);
        if (before != null) {
            out.writeDouble(before.micros());
            out.writeDouble(before.errorMicros());
            out.writeDouble(before.freedom());
            out.writeLong(before.operations());
            out.writeLong(before.uncovered());
        }
        out.writeInt(buckets.size());
        for (Map.Entry<Integer, LostTime.Bucket> bucket : buckets.entrySet()) {
            out.writeInt(bucket.getKey());
            write(bucket.getValue().alone(), out);
            write(bucket.getValue().shared(), out);
        }
    }

    private static Moments moments(DataInputStream in) throws IOException {
        return new Moments(in.readLong(), in.readDouble(), in.readDouble());
    }

    private static void write(Moments moments, DataOutputStream out) throws IOException {
        out.writeLong(moments.n());
        out.writeDouble(moments.mean());
        out.writeDouble(moments.variance());
    }
}
