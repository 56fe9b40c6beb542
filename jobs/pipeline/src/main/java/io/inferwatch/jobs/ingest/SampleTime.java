package io.inferwatch.jobs.ingest;

import java.time.Duration;
import java.time.InstantSource;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Event times of samples and the watermarks of a partition: the delay behind the latest time. There are no heartbeats here, and some kinds come rarely, so a
 * partition that is read to its end and has brought nothing for a while follows the clock instead: what may still come is stamped after now. One that is behind
 * follows its samples, however slowly they are read.
 */
public final class SampleTime {
    private static final long NONE = Long.MIN_VALUE;

    private SampleTime() {}

    /**
     * The strategy for the topics of samples.
     *
     * @param delay how far samples of a partition may be out of order, the interval between two included: the later one says for how long the earlier held
     */
    public static WatermarkStrategy<Sample> strategy(Duration delay) {
        return WatermarkStrategy.<Sample>forGenerator(context -> new Generator(delay, InstantSource.system()))
                .withTimestampAssigner(SampleTime::millis);
    }

    /** The same times without watermarks: for a read with an end. */
    public static WatermarkStrategy<Sample> withoutWatermarks() {
        return WatermarkStrategy.<Sample>noWatermarks().withTimestampAssigner(SampleTime::millis);
    }

    private static long millis(Sample sample, long appendedAtMillis) {
        return sample.isFaulty() ? appendedAtMillis : sample.atMillis();
    }

    static final class Generator implements WatermarkGenerator<Sample> {
        /** Without a sample for so long a partition is quiet. */
        static final long QUIET_MILLIS = 5_000;

        /** A partition that was never heard of is taken for empty after so long: its first records may take that long to be read. */
        static final long EMPTY_MILLIS = 15_000;

        /** A record that was read so soon after it was stamped was the partition's last. */
        private static final long PRESENT_MILLIS = 60_000;

        private final long delayMillis;
        private final InstantSource clock;
        private final long startedMillis;
        private long latest = NONE;
        private long readMillis = NONE;
        private boolean isAtEnd;

        Generator(Duration delay, InstantSource clock) {
            this.delayMillis = delay.toMillis();
            this.clock = clock;
            this.startedMillis = clock.millis();
        }

        @Override
        public void onEvent(Sample sample, long eventTimeMillis, WatermarkOutput output) {
            readMillis = clock.millis();
            isAtEnd = readMillis - sample.record().timestampMillis() <= PRESENT_MILLIS;
            if (!sample.isFaulty()) {
                latest = Math.max(latest, eventTimeMillis);
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            long now = clock.millis();
            boolean isQuiet = readMillis == NONE
                    ? now - startedMillis >= EMPTY_MILLIS
                    : isAtEnd && now - readMillis >= QUIET_MILLIS;
            if (isQuiet) {
                latest = Math.max(latest, now);
            }
            if (latest != NONE) {
                // Samples of the same millisecond may still follow.
                output.emitWatermark(new Watermark(latest - delayMillis - 1));
            }
        }
    }
}
