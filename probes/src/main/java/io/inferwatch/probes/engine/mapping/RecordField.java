package io.inferwatch.probes.engine.mapping;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/** A field of a sample that a signal can fill: a whole number, a truth, or a list of texts. */
public record RecordField(String name, int position, Schema.Type type) {
    /** The fields of a record that signals can fill, by name. */
    static Map<String, RecordField> of(Schema schema) {
        Map<String, RecordField> fields = new LinkedHashMap<>();
        for (Schema.Field field : schema.getFields()) {
            Schema.Type type = type(field.schema());
            if (type != null) {
                fields.put(field.name(), new RecordField(field.name(), field.pos(), type));
            }
        }
        return fields;
    }

    /** Whether the record says nothing here yet. */
    public boolean isUnset(SpecificRecord sample) {
        Object present = sample.get(position);
        return present == null || (present instanceof List<?> list && list.isEmpty());
    }

    /** Says a number, in the field's unit. */
    public void set(SpecificRecord sample, double value) {
        switch (type) {
            case INT -> sample.put(position, (int) Math.round(value));
            case BOOLEAN -> sample.put(position, value != 0);
            default -> sample.put(position, Math.round(value));
        }
    }

    /** Says a list. */
    public void set(SpecificRecord sample, List<String> items) {
        sample.put(position, items);
    }

    /** Whether it takes a list. */
    public boolean isList() {
        return type == Schema.Type.ARRAY;
    }

    /** What a field can take: nullable numbers and truths, and lists of texts; null for all others. */
    private static Schema.@Nullable Type type(Schema schema) {
        if (schema.getType() == Schema.Type.ARRAY && schema.getElementType().getType() == Schema.Type.STRING) {
            return Schema.Type.ARRAY;
        }
        if (schema.getType() != Schema.Type.UNION || schema.getTypes().size() != 2) {
            return null;
        }
        Schema.Type type = Objects.requireNonNull(schema.getTypes().get(1)).getType();
        return switch (type) {
            case INT, LONG, BOOLEAN -> type;
            default -> null;
        };
    }
}
