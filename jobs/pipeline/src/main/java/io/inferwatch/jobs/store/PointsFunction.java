package io.inferwatch.jobs.store;

import io.inferwatch.jobs.ingest.DeadLetters;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.UndecodableEventException;
import java.io.Serializable;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind to their points, each on its own. What cannot be decoded goes to {@link #DEAD_LETTERS}; the mark of a gone key
 * gives no point.
 */
public final class PointsFunction<T extends SpecificRecord> extends ProcessFunction<InboundRecord, StoredPoint> {
    private static final long serialVersionUID = 1;

    /** The stage's name in dead letters. */
    static final String STAGE = "store";

    /** Records of which no point can be made. */
    public static final OutputTag<OutboundRecord> DEAD_LETTERS = new OutputTag<>("dead-letters") {};

    private interface Conversion<T> extends Serializable {
        Point point(T event);
    }

    private final Class<T> type;
    private final Conversion<T> conversion;
    private transient @Nullable EventCodec codec;
    private transient @Nullable DeadLetters letters;
    private transient @Nullable StoreCounters counters;

    private PointsFunction(Class<T> type, Conversion<T> conversion) {
        this.type = type;
        this.conversion = conversion;
    }

    /** For the alerts topic. */
    public static PointsFunction<Alert> ofAlerts() {
        return new PointsFunction<>(Alert.class, AlertPoints::of);
    }

    /** For the health topic. */
    public static PointsFunction<HealthSample> ofHealth() {
        return new PointsFunction<>(HealthSample.class, HealthPoints::of);
    }

    @Override
    public void open(OpenContext context) {
        codec = new EventCodec();
        letters = new DeadLetters(STAGE);
        counters = new StoreCounters(getRuntimeContext().getMetricGroup());
    }

    @Override
    public void processElement(InboundRecord record, Context context, Collector<StoredPoint> out) {
        EventCodec decoder = codec;
        DeadLetters writer = letters;
        StoreCounters count = counters;
        if (decoder == null || writer == null || count == null) {
            throw new IllegalStateException("used before open()");
        }
        byte[] value = record.value();
        if (value == null) {
            count.tombstone();
            return;
        }
        try {
            Point point = conversion.point(decoder.decode(value, type));
            count.leftOut(point.content().leftOut());
            point.store(0, 0, record).ifPresentOrElse(out::collect, count::pointWithoutFields);
        } catch (UndecodableEventException e) {
            count.deadLetter(e.reason().label());
            context.output(
                    DEAD_LETTERS,
                    writer.letter(
                            record,
                            e.reason().label(),
                            String.valueOf(e.getMessage()),
                            context.timerService().currentProcessingTime()));
        }
    }
}
