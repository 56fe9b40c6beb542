package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.ReleasedSchemas;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.UndecodableEventException.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the fields of a layout from events of any released schema into a {@link RequestRow}, and steps over all others. It reads the
 * binary encoding itself, because most of the pipeline's work is here: a tenth of what Avro's readers take, and no object per event.
 * The whole body is walked, so that a record which breaks off is found. Not thread safe.
 */
final class RowDecoder {
    private static final String REQUEST = RequestEvent.getClassSchema().getFullName();
    private static final String HEARTBEAT = Heartbeat.getClassSchema().getFullName();

    /** How a field is read. */
    private enum Read {
        NUMBER,
        ENUM,
        TEXT,
        BYTES,
        SKIP_NUMBER,
        SKIP_BYTES,
        SKIP_FIXED,
        SKIP_ANY
    }

    /**
     * One field of a writer's schema.
     *
     * @param nullBranch branch of a union with null that is null; -1 when the field is no such union
     * @param slot where the row keeps it
     * @param symbols the reader's number of each of the writer's enum symbols
     * @param fixedBytes bytes to step over
     * @param schema what to step over when it is no simple type
     */
    private record Step(Read read, int nullBranch, int slot, int[] symbols, int fixedBytes, Schema schema) {}

    private record Plan(RequestRow.Kind kind, Step[] steps) {}

    private final EventLayout layout;
    private final Map<Long, Plan> plans = new HashMap<>();
    private long lastFingerprint;
    private @Nullable Plan lastPlan;

    private byte[] source = {};
    private int at;

    RowDecoder(EventLayout layout) {
        this.layout = layout;
    }

    /** Fills the row from its value; a value that is no event makes the row faulty. */
    void decode(RequestRow row) {
        source = row.value();
        try {
            Plan plan = plan(EventCodec.fingerprint(source));
            at = EventCodec.HEADER_BYTES;
            for (Step step : plan.steps) {
                run(step, row);
            }
            if (at != source.length) {
                row.fault(
                        Reason.MALFORMED.label(),
                        "body: " + (source.length - at) + " bytes are left over after the record");
                return;
            }
            row.kind(plan.kind);
        } catch (UndecodableEventException e) {
            row.fault(e.reason().label(), String.valueOf(e.getMessage()));
        } catch (IndexOutOfBoundsException e) {
            row.fault(
                    Reason.MALFORMED.label(),
                    "body: breaks off or breaks its schema after " + source.length + " bytes");
        }
    }

    private void run(Step step, RequestRow row) throws UndecodableEventException {
        if (step.nullBranch >= 0) {
            long branch = readLong();
            if (branch == step.nullBranch) {
                return;
            }
            if (branch != 1 - step.nullBranch) {
                throw malformed("union branch: must be 0 or 1, found " + branch);
            }
        }
        switch (step.read) {
            case NUMBER -> row.number(step.slot, readLong());
            case TEXT -> {
                int length = readLength();
                row.text(step.slot, at, length);
                at += length;
            }
            case ENUM -> {
                long symbol = readLong();
                if (symbol < 0 || symbol >= step.symbols.length) {
                    throw malformed(
                            "enum symbol: must be from 0 to " + (step.symbols.length - 1) + ", found " + symbol);
                }
                row.number(step.slot, step.symbols[(int) symbol]);
            }
            case BYTES -> {
                int length = readLength();
                row.bytes(step.slot, at, length);
                at += length;
            }
            case SKIP_NUMBER -> readLong();
            case SKIP_BYTES -> skipBytes();
            case SKIP_FIXED -> at += step.fixedBytes;
            case SKIP_ANY -> skip(step.schema);
        }
        if (at > source.length) {
            throw malformed("body: breaks off after " + source.length + " bytes");
        }
    }

    private void skip(Schema schema) throws UndecodableEventException {
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> at += 1;
            case INT, LONG, ENUM -> readLong();
            case FLOAT -> at += Float.BYTES;
            case DOUBLE -> at += Double.BYTES;
            case STRING, BYTES -> skipBytes();
            case FIXED -> at += schema.getFixedSize();
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    skip(field.schema());
                }
            }
            case UNION -> {
                long branch = readLong();
                if (branch < 0 || branch >= schema.getTypes().size()) {
                    throw malformed("union branch: must be from 0 to "
                            + (schema.getTypes().size() - 1) + ", found " + branch);
                }
                skip(schema.getTypes().get((int) branch));
            }
            case ARRAY -> skipBlocks(schema.getElementType(), false);
            case MAP -> skipBlocks(schema.getValueType(), true);
        }
        if (at > source.length) {
            throw malformed("body: breaks off after " + source.length + " bytes");
        }
    }

    private void skipBlocks(Schema element, boolean keyed) throws UndecodableEventException {
        for (long count = readLong(); count != 0; count = readLong()) {
            if (count < 0) {
                // A negative count is followed by the block's length in bytes.
                skipBytes();
                if (at > source.length) {
                    throw malformed("body: breaks off after " + source.length + " bytes");
                }
                continue;
            }
            for (long i = 0; i < count; i++) {
                if (keyed) {
                    skipBytes();
                }
                skip(element);
            }
        }
    }

    private void skipBytes() throws UndecodableEventException {
        int length = readLength();
        at += length;
    }

    private int readLength() throws UndecodableEventException {
        long length = readLong();
        if (length < 0 || length > source.length - at) {
            throw malformed("length: must be from 0 to the " + (source.length - at) + " bytes left, found " + length);
        }
        return (int) length;
    }

    private long readLong() throws UndecodableEventException {
        byte next = source[at++];
        if (next >= 0) {
            return (long) (next >>> 1) ^ -(next & 1);
        }
        long value = next & 0x7F;
        for (int shift = 7; shift < 64; shift += 7) {
            next = source[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw malformed("number: longer than 64 bits");
    }

    private static UndecodableEventException malformed(String detail) {
        return new UndecodableEventException(Reason.MALFORMED, detail, null);
    }

    private Plan plan(long fingerprint) throws UndecodableEventException {
        if (lastPlan != null && fingerprint == lastFingerprint) {
            return lastPlan;
        }
        Plan plan = plans.get(fingerprint);
        if (plan == null) {
            plan = makePlan(fingerprint);
            plans.put(fingerprint, plan);
        }
        lastFingerprint = fingerprint;
        lastPlan = plan;
        return plan;
    }

    private Plan makePlan(long fingerprint) throws UndecodableEventException {
        Schema writer = ReleasedSchemas.all().byFingerprint(fingerprint);
        if (writer == null) {
            throw new UndecodableEventException(
                    Reason.UNKNOWN_SCHEMA,
                    "schema fingerprint: must be of a released schema, found %016x".formatted(fingerprint),
                    null);
        }
        boolean request = writer.getFullName().equals(REQUEST);
        if (!request && !writer.getFullName().equals(HEARTBEAT)) {
            throw new UndecodableEventException(
                    Reason.UNEXPECTED_RECORD,
                    "record: must be " + REQUEST + " or " + HEARTBEAT + ", found " + writer.getFullName(),
                    null);
        }
        Schema reader = request ? RequestEvent.getClassSchema() : Heartbeat.getClassSchema();
        List<Step> steps = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            steps.add(step(field, reader.getField(field.name())));
        }
        return new Plan(request ? RequestRow.Kind.REQUEST : RequestRow.Kind.HEARTBEAT, steps.toArray(Step[]::new));
    }

    private Step step(Schema.Field field, Schema.@Nullable Field readerField) {
        Schema type = field.schema();
        int nullBranch = -1;
        if (type.getType() == Schema.Type.UNION) {
            List<Schema> branches = type.getTypes();
            if (branches.size() != 2 || (!isNull(branches.get(0)) && !isNull(branches.get(1)))) {
                return new Step(Read.SKIP_ANY, -1, -1, new int[0], 0, type);
            }
            nullBranch = isNull(branches.get(0)) ? 0 : 1;
            type = branches.get(1 - nullBranch);
        }
        int slot;
        return switch (type.getType()) {
            case INT, LONG -> {
                slot = layout.number(field.name());
                yield new Step(slot < 0 ? Read.SKIP_NUMBER : Read.NUMBER, nullBranch, slot, new int[0], 0, type);
            }
            case STRING -> {
                slot = layout.text(field.name());
                yield new Step(slot < 0 ? Read.SKIP_BYTES : Read.TEXT, nullBranch, slot, new int[0], 0, type);
            }
            case BYTES -> {
                slot = layout.bytes(field.name());
                yield new Step(slot < 0 ? Read.SKIP_BYTES : Read.BYTES, nullBranch, slot, new int[0], 0, type);
            }
            case ENUM -> {
                slot = layout.number(field.name());
                yield slot < 0 || readerField == null
                        ? new Step(Read.SKIP_NUMBER, nullBranch, -1, new int[0], 0, type)
                        : new Step(Read.ENUM, nullBranch, slot, symbols(type, readerField.schema()), 0, type);
            }
            case BOOLEAN -> new Step(Read.SKIP_FIXED, nullBranch, -1, new int[0], 1, type);
            case FLOAT -> new Step(Read.SKIP_FIXED, nullBranch, -1, new int[0], Float.BYTES, type);
            case DOUBLE -> new Step(Read.SKIP_FIXED, nullBranch, -1, new int[0], Double.BYTES, type);
            default -> new Step(Read.SKIP_ANY, nullBranch, -1, new int[0], 0, type);
        };
    }

    private static int[] symbols(Schema writer, Schema reader) {
        int[] numbers = new int[writer.getEnumSymbols().size()];
        for (int i = 0; i < numbers.length; i++) {
            String symbol = writer.getEnumSymbols().get(i);
            numbers[i] = reader.getEnumOrdinal(reader.hasEnumSymbol(symbol) ? symbol : reader.getEnumDefault());
        }
        return numbers;
    }

    private static boolean isNull(Schema schema) {
        return schema.getType() == Schema.Type.NULL;
    }
}
