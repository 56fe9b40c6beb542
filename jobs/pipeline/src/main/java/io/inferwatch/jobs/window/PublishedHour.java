package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * A window of an hour as some revision of it was published.
 *
 * @param endMillis its end, exclusive, epoch milliseconds
 * @param events how many it counts
 */
public record PublishedHour(String series, long endMillis, long events) {

    /** The hour and view in which it was published: what decides together on the names of its series. */
    String admission() {
        return admission(Series.view(series), endMillis);
    }

    static String admission(String view, long endMillis) {
        return view + '@' + endMillis;
    }

    static TypeInformation<PublishedHour> type() {
        return TypeInformation.of(PublishedHour.class);
    }

    /** Finds the windows of an hour among all that were published. What cannot be decoded is counted; its dead letter is StoreJob's. */
    static final class Finder extends RichFlatMapFunction<InboundRecord, PublishedHour> {
        private static final long serialVersionUID = 1;

        private final Hours hours;
        private transient @Nullable EventCodec codec;
        private transient @Nullable Counter undecodableWindows;

        Finder(Hours hours) {
            this.hours = hours;
        }

        @Override
        public void open(OpenContext context) {
            codec = new EventCodec();
            undecodableWindows = getRuntimeContext().getMetricGroup().counter("windows_undecodable_total");
        }

        @Override
        public void flatMap(InboundRecord record, Collector<PublishedHour> out) {
            EventCodec decoder = codec;
            Counter undecodable = undecodableWindows;
            byte[] value = record.value();
            if (decoder == null || undecodable == null) {
                throw new IllegalStateException("used before open()");
            }
            // Records of windows are stamped with their end: few need to be looked into.
            if (value == null
                    || record.timestampMillis() % Hours.MILLIS != 0
                    || !hours.holdEnd(record.timestampMillis())) {
                return;
            }
            try {
                WindowStat window = decoder.decode(value, WindowStat.class);
                if (window.getWindowMicros() == 1_000 * Hours.MILLIS) {
                    out.collect(new PublishedHour(
                            window.getSeries(), window.getWindowEndMicros() / 1_000, window.getRequests()));
                }
            } catch (UndecodableEventException e) {
                undecodable.inc();
            }
        }
    }
}
