package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * Event time of rows and the watermarks of a partition. Event time is the request's completion, or a heartbeat's position, capped at
 * the broker's append time: no host's clock can drive a partition's watermark into the future. The watermark stands the delay behind
 * the latest event time; rows that cannot be used do not move it.
 */
public final class EventTime {
    private static final long NONE = Long.MIN_VALUE;

    private EventTime() {}

    /**
     * The strategy for the requests topic.
     *
     * @param delay how far events of a partition may be out of order
     * @param idleness after which a silent partition holds the others back no longer
     * @param maxDrift how far one partition may be read ahead of another
     */
    public static WatermarkStrategy<RequestRow> strategy(
            String catalogueYaml, Duration delay, Duration idleness, Duration maxDrift) {
        return WatermarkStrategy.<RequestRow>forGenerator(context -> new Generator(delay.toMillis()))
                .withTimestampAssigner(context ->
                        new Assigner(EventLayout.of(MetricCatalogue.parse("metric catalogue", catalogueYaml))))
                .withIdleness(idleness)
                .withWatermarkAlignment("requests", maxDrift);
    }

    /** Event time in epoch milliseconds; the append time for what has none. */
    static final class Assigner implements TimestampAssigner<RequestRow> {
        private final int completedAt;
        private final int position;

        Assigner(EventLayout layout) {
            completedAt = layout.number("completedAtMicros");
            position = layout.number("eventTimeMicros");
        }

        @Override
        public long extractTimestamp(RequestRow row, long recordTimestamp) {
            long micros =
                    switch (row.kind()) {
                        case REQUEST -> row.number(completedAt);
                        case HEARTBEAT -> row.number(position);
                        case TOMBSTONE, FAULTY -> RequestRow.ABSENT;
                    };
            return micros == RequestRow.ABSENT
                    ? row.appendedAtMillis()
                    : Math.min(Math.floorDiv(micros, 1000), row.appendedAtMillis());
        }
    }

    private static final class Generator implements WatermarkGenerator<RequestRow> {
        private final long delayMillis;
        private long latest = NONE;

        Generator(long delayMillis) {
            this.delayMillis = delayMillis;
        }

        @Override
        public void onEvent(RequestRow row, long eventTimeMillis, WatermarkOutput output) {
            boolean timed = row.kind() == RequestRow.Kind.REQUEST || row.kind() == RequestRow.Kind.HEARTBEAT;
            if (timed && eventTimeMillis > latest) {
                latest = eventTimeMillis;
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            if (latest != NONE) {
                // Events of the same millisecond may still follow.
                output.emitWatermark(new Watermark(latest - delayMillis - 1));
            }
        }
    }
}
