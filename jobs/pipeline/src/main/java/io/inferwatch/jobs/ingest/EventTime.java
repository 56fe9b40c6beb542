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
    /** How far ahead of the broker's clock a time may be and still be taken for a clock that is off. */
    public static final Duration FUTURE_TOLERANCE = Duration.ofMinutes(5);

    private static final long NONE = Long.MIN_VALUE;

    private EventTime() {}

    /**
     * The strategy for the requests topic.
     *
     * @param delay how far events of a partition may be out of order
     * @param idleness after which a silent partition holds the others back no longer
     * @param maxDrift how far one partition may be read ahead of another; zero for any distance
     */
    public static WatermarkStrategy<RequestRow> strategy(
            String catalogueYaml, Duration delay, Duration idleness, Duration maxDrift) {
        WatermarkStrategy<RequestRow> strategy = WatermarkStrategy.<RequestRow>forGenerator(
                        context -> new Generator(clock(catalogueYaml), delay.toMillis()))
                .withTimestampAssigner(context -> clock(catalogueYaml))
                .withIdleness(idleness);
        return maxDrift.isZero() ? strategy : strategy.withWatermarkAlignment("requests", maxDrift);
    }

    /** The same times without watermarks: for a read with an end, in which nothing is late and no window ends before all has been read. */
    public static WatermarkStrategy<RequestRow> withoutWatermarks(String catalogueYaml) {
        return WatermarkStrategy.<RequestRow>noWatermarks().withTimestampAssigner(context -> clock(catalogueYaml));
    }

    private static Clock clock(String catalogueYaml) {
        return new Clock(EventLayout.of(MetricCatalogue.parse("metric catalogue", catalogueYaml)));
    }

    /** Event time in epoch milliseconds; the append time for what has none. */
    static final class Clock implements TimestampAssigner<RequestRow> {
        private final int completedAt;
        private final int position;

        Clock(EventLayout layout) {
            completedAt = layout.number("completedAtMicros");
            position = layout.number("eventTimeMicros");
        }

        @Override
        public long extractTimestamp(RequestRow row, long recordTimestamp) {
            long micros = micros(row);
            return micros == RequestRow.ABSENT
                    ? row.appendedAtMillis()
                    : Math.min(Math.floorDiv(micros, 1000), row.appendedAtMillis());
        }

        /** Whether the row has a time that can be meant: one that is absurdly far ahead would only be capped to the present. */
        boolean isTimed(RequestRow row) {
            long micros = micros(row);
            return micros > 0 && micros / 1000 <= row.appendedAtMillis() + FUTURE_TOLERANCE.toMillis();
        }

        private long micros(RequestRow row) {
            return switch (row.kind()) {
                case REQUEST -> row.number(completedAt);
                case HEARTBEAT -> row.number(position);
                case TOMBSTONE, FAULTY -> RequestRow.ABSENT;
            };
        }
    }

    private static final class Generator implements WatermarkGenerator<RequestRow> {
        private final Clock clock;
        private final long delayMillis;
        private long latest = NONE;

        Generator(Clock clock, long delayMillis) {
            this.clock = clock;
            this.delayMillis = delayMillis;
        }

        @Override
        public void onEvent(RequestRow row, long eventTimeMillis, WatermarkOutput output) {
            if (eventTimeMillis > latest && clock.isTimed(row)) {
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
