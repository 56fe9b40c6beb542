package io.inferwatch.jobs.ingest;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.catalogue.Metric;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;

/** Values of a sample by the names that the catalogue uses. */
public final class SampleFields {
    /** The kinds of samples. */
    public static final Set<Metric.Origin> KINDS =
            Set.of(Metric.Origin.ENGINE, Metric.Origin.GPU, Metric.Origin.KERNELS, Metric.Origin.OPERATORS);

    private static final String LABEL = "labels.";

    private SampleFields() {}

    /**
     * The schema of samples of a kind.
     *
     * @throws IllegalArgumentException when that is no kind of sample
     */
    public static Schema schema(Metric.Origin kind) {
        return switch (kind) {
            case ENGINE -> EngineSample.getClassSchema();
            case GPU -> GpuSample.getClassSchema();
            case KERNELS -> KernelProfile.getClassSchema();
            case OPERATORS -> OperatorMetric.getClassSchema();
            case REQUESTS, HEARTBEATS ->
                throw new IllegalArgumentException("kind: must be one of samples, found " + kind);
        };
    }

    /** Whether a field holds bytes: a sketch. */
    public static boolean isBytes(Schema.Field field) {
        Schema schema = field.schema();
        return schema.getType() == Schema.Type.BYTES
                || (schema.isUnion()
                        && schema.getTypes().stream().anyMatch(type -> type.getType() == Schema.Type.BYTES));
    }

    /**
     * The sketch in a field's bytes.
     *
     * @throws IllegalArgumentException when they hold none
     */
    public static QuantileSketch sketch(ByteBuffer bytes) {
        byte[] encoded = new byte[bytes.remaining()];
        bytes.duplicate().get(encoded);
        return SketchEncoding.decode(encoded);
    }

    /**
     * What kind of sample it is.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static Metric.Origin kind(SpecificRecord sample) {
        if (sample instanceof EngineSample) {
            return Metric.Origin.ENGINE;
        } else if (sample instanceof GpuSample) {
            return Metric.Origin.GPU;
        } else if (sample instanceof KernelProfile) {
            return Metric.Origin.KERNELS;
        } else if (sample instanceof OperatorMetric) {
            return Metric.Origin.OPERATORS;
        }
        throw new IllegalArgumentException("record: must be a sample of an engine, GPU, kernel or operator, found "
                + sample.getSchema().getName());
    }

    /** Event time, epoch microseconds. */
    public static long atMicros(SpecificRecord sample) {
        if (sample instanceof EngineSample engine) {
            return engine.getSampledAtMicros();
        } else if (sample instanceof GpuSample gpu) {
            return gpu.getSampledAtMicros();
        } else if (sample instanceof KernelProfile kernel) {
            return kernel.getProfiledAtMicros();
        }
        return ((OperatorMetric) sample).getMeasuredAtMicros();
    }

    /** A whole-number field; {@link RequestRow#ABSENT} when the sample does not have it. */
    public static long number(SpecificRecord sample, String field) {
        return sample.get(sample.getSchema().getField(field).pos()) instanceof Number number
                ? number.longValue()
                : RequestRow.ABSENT;
    }

    /** A text field, or an entry of the labels; empty when the sample does not have it. */
    public static String text(SpecificRecord sample, String field) {
        Object value = field.startsWith(LABEL)
                ? ((Map<?, ?>) sample.get(sample.getSchema().getField("labels").pos()))
                        .get(field.substring(LABEL.length()))
                : sample.get(sample.getSchema().getField(field).pos());
        return value == null ? "" : value.toString();
    }

    /** The values of a text field, or of a list of texts: of a text one, {@code whenAbsent} where the sample does not have it; of a list as many as it has. */
    public static List<String> texts(SpecificRecord sample, String field, String whenAbsent) {
        Schema.Field known = sample.getSchema().getField(field);
        if (known != null && sample.get(known.pos()) instanceof List<?> list) {
            return list.stream().map(Object::toString).toList();
        }
        String text = text(sample, field);
        return List.of(text.isEmpty() ? whenAbsent : text);
    }
}
