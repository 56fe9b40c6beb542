package io.inferwatch.jobs.store;

import io.inferwatch.jobs.ingest.DeadLetters;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Records of a topic to their points, each on its own. What cannot be decoded or stored goes to {@link #DEAD_LETTERS}; the mark of a gone
 * key gives no point.
 */
public final class PointsFunction extends ProcessFunction<InboundRecord, StoredPoint> {
    private static final long serialVersionUID = 1;

    /** The stage's name in dead letters. */
    static final String STAGE = "store";

    /** Records of which no point can be made. */
    public static final OutputTag<OutboundRecord> DEAD_LETTERS = new OutputTag<>("dead-letters") {};

    private interface Conversion {
        List<Point> points(EventCodec codec, byte[] value) throws UndecodableEventException, UnstorableException;
    }

    /** Made anew where the function runs. */
    private interface Opening extends Serializable {
        Conversion open();
    }

    private final Opening opening;
    private transient @Nullable Working working;

    private record Working(EventCodec codec, Conversion conversion, DeadLetters letters, StoreCounters counters) {}

    private PointsFunction(Opening opening) {
        this.opening = opening;
    }

    /** For the alerts topic. */
    public static PointsFunction ofAlerts() {
        return new PointsFunction(() -> (codec, value) -> AlertPoints.of(codec.decode(value, Alert.class)));
    }

    /** For the health topic. */
    public static PointsFunction ofHealth() {
        return new PointsFunction(
                () -> (codec, value) -> List.of(HealthPoints.of(codec.decode(value, HealthSample.class))));
    }

    /** For the results topic, after the catalogue with that text. */
    public static PointsFunction ofResults(String catalogueYaml) {
        return new PointsFunction(() -> {
            ResultPoints points = new ResultPoints(MetricCatalogue.parse("metric catalogue", catalogueYaml));
            return (codec, value) -> points.of(codec.decode(value));
        });
    }

    @Override
    public void open(OpenContext context) {
        working = new Working(
                new EventCodec(),
                opening.open(),
                new DeadLetters(STAGE),
                new StoreCounters(getRuntimeContext().getMetricGroup()));
    }

    @Override
    public void processElement(InboundRecord record, Context context, Collector<StoredPoint> out) {
        Working w = working;
        if (w == null) {
            throw new IllegalStateException("used before open()");
        }
        byte[] value = record.value();
        if (value == null) {
            w.counters.tombstone();
            return;
        }
        try {
            for (Point point : w.conversion.points(w.codec, value)) {
                w.counters.leftOut(point.content().leftOut());
                point.store(0, 0, record).ifPresentOrElse(out::collect, w.counters::pointWithoutFields);
            }
        } catch (UndecodableEventException e) {
            refuse(w, record, e.reason().label(), e, context);
        } catch (UnstorableException e) {
            refuse(w, record, e.reason().label(), e, context);
        }
    }

    private static void refuse(Working w, InboundRecord record, String reason, Exception why, Context context) {
        w.counters.deadLetter(reason);
        context.output(
                DEAD_LETTERS,
                w.letters.letter(
                        record,
                        reason,
                        String.valueOf(why.getMessage()),
                        context.timerService().currentProcessingTime()));
    }
}
