package io.inferwatch.jobs.device;

import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.UndecodableEventException;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a unit (text, image, audio) on a device that it shares, with its waiting.
 *
 * @param device the GPU; where nobody tells it the replica
 * @param size of the work, in whatever the unit counts; 0 where nobody tells it
 * @param schedule name of the policy by which units take turns
 */
public record UnitOperation(
        String device, String replica, String unit, String schedule, long size, long startNanos, long endNanos) {
    /** What operators report such operations as: seconds, when they end. */
    static final String METRIC = "modality_operation_seconds";

    private static final double NANOS = 1e9;

    /** Operations among samples of operators. */
    static final class Reader extends RichFlatMapFunction<Sample, UnitOperation> {
        private static final long serialVersionUID = 1;

        private transient @Nullable EventCodec codec;

        @Override
        public void open(OpenContext context) {
            codec = new EventCodec();
        }

        @Override
        public void flatMap(Sample sample, Collector<UnitOperation> out) throws UndecodableEventException {
            byte[] value = sample.record().value();
            if (value == null) {
                return;
            }
            OperatorMetric metric =
                    Objects.requireNonNull(codec, "used before open()").decode(value, OperatorMetric.class);
            if (metric.getName().equals(METRIC)) {
                out.collect(of(metric));
            }
        }
    }

    /** The operation that a metric tells of. */
    static UnitOperation of(OperatorMetric metric) {
        long end = metric.getMeasuredAtMicros() * 1_000;
        String gpu = metric.getGpu();
        String version = metric.getVersion() == null ? "" : metric.getVersion();
        return new UnitOperation(
                gpu == null ? metric.getReplica() : gpu,
                metric.getReplica(),
                metric.getLabels().getOrDefault("modality", "none"),
                metric.getLabels().getOrDefault("schedule", version),
                size(metric.getLabels().get("size")),
                end - Math.max(1, Math.round(metric.getValue() * NANOS)),
                end);
    }

    private static long size(@Nullable String label) {
        try {
            return label == null ? 0 : Math.max(0, Long.parseLong(label));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Sizes within a factor of two are alike. */
    int bucket() {
        return 64 - Long.numberOfLeadingZeros(size);
    }

    double micros() {
        return (endNanos - startNanos) / 1e3;
    }
}
