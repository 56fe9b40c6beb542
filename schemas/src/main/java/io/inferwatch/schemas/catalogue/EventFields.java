package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.Schema;

/** The fields of events that a catalogue may name, by the kind of value that they hold. */
record EventFields(Schema schema) {
    /** Before the name of an entry of the event's labels. */
    static final String LABEL = "labels.";

    private static final Map<Metric.Origin, EventFields> BY_ORIGIN = Map.of(
            Metric.Origin.REQUESTS, new EventFields(RequestEvent.getClassSchema()),
            Metric.Origin.HEARTBEATS, new EventFields(Heartbeat.getClassSchema()),
            Metric.Origin.ENGINE, new EventFields(EngineSample.getClassSchema()),
            Metric.Origin.GPU, new EventFields(GpuSample.getClassSchema()),
            Metric.Origin.KERNELS, new EventFields(KernelProfile.getClassSchema()),
            Metric.Origin.OPERATORS, new EventFields(OperatorMetric.getClassSchema()));

    /** What a field holds. */
    enum Holds {
        NUMBER,
        TEXT,
        /** Several of these: an event counts for each. */
        TEXTS,
        SKETCH
    }

    static EventFields of(Metric.Origin origin) {
        return Objects.requireNonNull(BY_ORIGIN.get(origin));
    }

    /** Notes a problem with the key unless the field is there and holds such a value. */
    boolean require(String field, Holds holds, String key, Settings entry) {
        if (holds(field).equals(Optional.of(holds))) {
            return true;
        }
        String what =
                switch (holds) {
                    case NUMBER -> "a whole-number field of ";
                    case TEXT, TEXTS -> "a text field of ";
                    case SKETCH -> "a sketch field of ";
                };
        List<String> fitting = schema.getFields().stream()
                .map(Schema.Field::name)
                .filter(name -> holds(name).equals(Optional.of(holds)))
                .toList();
        entry.problem(key, what + schema.getName(), "'" + field + "'" + Settings.nearest(field, fitting));
        return false;
    }

    /** Notes a problem with the key unless the field is there and holds a number or a text, whose absence can be seen. */
    void requireKnown(String field, String key, Settings entry) {
        if (!holds(field).equals(Optional.of(Holds.TEXT))) {
            require(field, Holds.NUMBER, key, entry);
        }
    }

    /** What the field holds; empty when there is none of that name, or when it holds something else. */
    Optional<Holds> holds(String name) {
        if (name.startsWith(LABEL) && name.length() > LABEL.length() && schema.getField("labels") != null) {
            return Optional.of(Holds.TEXT);
        }
        Schema.Field field = schema.getField(name);
        if (field == null) {
            return Optional.empty();
        }
        Schema type = field.schema();
        if (type.getType() == Schema.Type.UNION) {
            type = type.getTypes().get(type.getTypes().get(0).getType() == Schema.Type.NULL ? 1 : 0);
        }
        return switch (type.getType()) {
            case INT, LONG -> Optional.of(Holds.NUMBER);
            case STRING -> Optional.of(Holds.TEXT);
            case BYTES -> Optional.of(Holds.SKETCH);
            case ARRAY ->
                type.getElementType().getType() == Schema.Type.STRING ? Optional.of(Holds.TEXTS) : Optional.empty();
            default -> Optional.empty();
        };
    }
}
