package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.ReleasedSchemas;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.UndecodableEventException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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

    /** Reads eight bytes at once. */
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** How a field is read; numbers, not an enum, because switching over an enum costs a look into a table for every field of every event. */
    private static final byte NUMBER = 0;

    private static final byte ENUM = 1;
    private static final byte TEXT = 2;
    private static final byte BYTES = 3;
    private static final byte SKIP_NUMBER = 4;
    private static final byte SKIP_BYTES = 5;
    private static final byte SKIP_FIXED = 6;
    private static final byte SKIP_ANY = 7;

    /** In place of a null branch: the field is no union with null. */
    private static final byte NO_UNION = -1;

    private static final int RUN = Long.BYTES;

    /** The fields of a writer's schema in flat arrays, one entry a field, through which a decoder walks without following references. */
    private static final class Plan {
        final RequestRow.Kind kind;
        final byte[] reads;

        /** The byte that a null is written as, or {@link #NO_UNION}. */
        final byte[] nullBytes;

        /** Where the row keeps it. */
        final int[] slots;

        /** The reader's number of each of the writer's enum symbols. */
        final int[][] symbols;

        /** Bytes to step over. */
        final int[] fixedBytes;

        /** What to step over when it is no simple type. */
        final Schema[] schemas;

        /** Whether it is an array or a map, which are a single zero byte when empty. */
        final boolean[] mayBeEmpty;

        /** Whether this field and the seven after it may all be null, and the bytes that they are written as then. */
        final boolean[] beginsRun;

        final long[] nullRuns;

        Plan(RequestRow.Kind kind, int fields) {
            this.kind = kind;
            reads = new byte[fields];
            nullBytes = new byte[fields];
            slots = new int[fields];
            symbols = new int[fields][];
            fixedBytes = new int[fields];
            schemas = new Schema[fields];
            mayBeEmpty = new boolean[fields];
            beginsRun = new boolean[fields];
            nullRuns = new long[fields];
        }

        void findRuns() {
            for (int i = 0; i + RUN <= reads.length; i++) {
                boolean allNullable = true;
                for (int j = i; j < i + RUN; j++) {
                    allNullable &= nullBytes[j] != NO_UNION;
                }
                beginsRun[i] = allNullable;
                nullRuns[i] = (long) LONG.get(nullBytes, i);
            }
        }
    }

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
            walk(plan, row);
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

    /** Keeps its place in a local variable, which stays in a register, and writes it back around every call that moves it. */
    private void walk(Plan plan, RequestRow row) throws UndecodableEventException {
        byte[] bytes = source;
        int place = at;
        int fields = plan.reads.length;
        for (int i = 0; i < fields; i++) {
            byte nullByte = plan.nullBytes[i];
            if (nullByte != NO_UNION) {
                byte branch = bytes[place++];
                if (branch == nullByte) {
                    while (i + 1 < fields
                            && plan.beginsRun[i + 1]
                            && bytes.length - place >= RUN
                            && (long) LONG.get(bytes, place) == plan.nullRuns[i + 1]) {
                        i += RUN;
                        place += RUN;
                    }
                    continue;
                }
                if ((branch & ~2) != 0) {
                    throw malformed("union branch: must be 0 or 1, found the byte " + branch);
                }
            }
            switch (plan.reads[i]) {
                case NUMBER -> {
                    long number = bytes[place++];
                    if (number < 0) {
                        number &= 0x7F;
                        int shift = 7;
                        byte next;
                        do {
                            if (shift > 63) {
                                throw malformed("number: longer than 64 bits");
                            }
                            next = bytes[place++];
                            number |= (next & 0x7FL) << shift;
                            shift += 7;
                        } while (next < 0);
                    }
                    row.number(plan.slots[i], (number >>> 1) ^ -(number & 1));
                }
                case TEXT -> {
                    at = place;
                    int length = readLength();
                    row.text(plan.slots[i], at, length);
                    place = at + length;
                }
                case SKIP_NUMBER -> {
                    int last = place + 9;
                    while (bytes[place++] < 0) {
                        if (place > last) {
                            throw malformed("number: longer than 64 bits");
                        }
                    }
                }
                case SKIP_BYTES -> {
                    at = place;
                    skipBytes();
                    place = at;
                }
                case SKIP_FIXED -> place += plan.fixedBytes[i];
                case ENUM -> {
                    at = place;
                    long symbol = readLong();
                    place = at;
                    int[] symbols = plan.symbols[i];
                    if (symbol < 0 || symbol >= symbols.length) {
                        throw malformed("enum symbol: must be from 0 to " + (symbols.length - 1) + ", found " + symbol);
                    }
                    row.number(plan.slots[i], symbols[(int) symbol]);
                }
                case BYTES -> {
                    at = place;
                    int length = readLength();
                    row.bytes(plan.slots[i], at, length);
                    place = at + length;
                }
                default -> {
                    if (plan.mayBeEmpty[i] && bytes[place] == 0) {
                        place++;
                        continue;
                    }
                    at = place;
                    skip(plan.schemas[i]);
                    place = at;
                }
            }
            if (place > bytes.length) {
                throw malformed("body: breaks off after " + bytes.length + " bytes");
            }
        }
        at = place;
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
        List<Schema.Field> fields = writer.getFields();
        Plan plan = new Plan(request ? RequestRow.Kind.REQUEST : RequestRow.Kind.HEARTBEAT, fields.size());
        for (int i = 0; i < fields.size(); i++) {
            plan(plan, i, fields.get(i), reader.getField(fields.get(i).name()));
        }
        plan.findRuns();
        return plan;
    }

    private void plan(Plan plan, int i, Schema.Field field, Schema.@Nullable Field readerField) {
        Schema type = field.schema();
        plan.nullBytes[i] = NO_UNION;
        plan.schemas[i] = type;
        plan.reads[i] = SKIP_ANY;
        if (type.getType() == Schema.Type.UNION) {
            List<Schema> branches = type.getTypes();
            if (branches.size() != 2 || (!isNull(branches.get(0)) && !isNull(branches.get(1)))) {
                return;
            }
            int nullBranch = isNull(branches.get(0)) ? 0 : 1;
            plan.nullBytes[i] = (byte) (2 * nullBranch);
            type = branches.get(1 - nullBranch);
            plan.schemas[i] = type;
        }
        switch (type.getType()) {
            case INT, LONG -> read(plan, i, layout.number(field.name()), NUMBER, SKIP_NUMBER);
            case STRING -> read(plan, i, layout.text(field.name()), TEXT, SKIP_BYTES);
            case BYTES -> read(plan, i, layout.bytes(field.name()), BYTES, SKIP_BYTES);
            case ENUM -> {
                read(plan, i, readerField == null ? -1 : layout.number(field.name()), ENUM, SKIP_NUMBER);
                if (readerField != null) {
                    plan.symbols[i] = symbols(type, readerField.schema());
                }
            }
            case BOOLEAN -> skipFixed(plan, i, 1);
            case FLOAT -> skipFixed(plan, i, Float.BYTES);
            case DOUBLE -> skipFixed(plan, i, Double.BYTES);
            case ARRAY, MAP -> plan.mayBeEmpty[i] = true;
            default -> {}
        }
    }

    private static void read(Plan plan, int i, int slot, byte read, byte skip) {
        plan.slots[i] = slot;
        plan.reads[i] = slot < 0 ? skip : read;
    }

    private static void skipFixed(Plan plan, int i, int bytes) {
        plan.reads[i] = SKIP_FIXED;
        plan.fixedBytes[i] = bytes;
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
