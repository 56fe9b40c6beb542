package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** A sample as bytes of state. */
final class StateBytes {
    private StateBytes() {}

    static byte[] encode(Sample sample) {
        StateWriter out = new StateWriter();
        if (sample instanceof Counts counts) {
            out.octet(0);
            out.number(counts.events());
            out.number(counts.of());
        } else if (sample instanceof Values values) {
            out.octet(1);
            out.number(values.byBucket().size());
            values.byBucket().forEach((bucket, sketch) -> {
                out.part(bucket.getBytes(StandardCharsets.UTF_8));
                out.part(SketchEncoding.encode(sketch));
            });
        }
        return out.toBytes();
    }

    static Sample decode(byte[] bytes) {
        StateReader in = new StateReader(bytes);
        if (in.octet() == 0) {
            long events = in.number();
            return new Counts(events, in.number());
        }
        Map<String, QuantileSketch> byBucket = new TreeMap<>();
        for (long left = in.number(); left > 0; left--) {
            String bucket = new String(in.part(), StandardCharsets.UTF_8);
            byBucket.put(bucket, SketchEncoding.decode(in.part()));
        }
        return new Values(byBucket);
    }
}
