package io.inferwatch.schemas;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads events in Avro's single-object encoding: two marker bytes, the writer schema's CRC-64-AVRO fingerprint in little
 * endian, the binary body. The header is checked here, because the generated decoders take twice as long. Whatever the bytes are,
 * decoding yields an event or an {@link UndecodableEventException}, and allocates no more than they can fill. Not thread safe.
 */
public final class EventCodec {
    /** Bytes before the body. */
    public static final int HEADER_BYTES = 10;

    private static final byte MARKER_0 = (byte) 0xC3;
    private static final byte MARKER_1 = 0x01;

    private final ReleasedSchemas schemas;
    private final Map<Schema, Writer> writers = new HashMap<>();
    private final Map<Long, Reader> readers = new HashMap<>();
    private @Nullable Reader lastReader;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(1024);
    private BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(buffer, null);
    private final ByteArrayDecoder decoder = new ByteArrayDecoder();

    private record Writer(byte[] header, SpecificDatumWriter<SpecificRecord> body) {
        static Writer of(Schema schema) {
            byte[] header = ByteBuffer.allocate(HEADER_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(MARKER_0)
                    .put(MARKER_1)
                    .putLong(SchemaNormalization.parsingFingerprint64(schema))
                    .array();
            return new Writer(header, new SpecificDatumWriter<>(schema));
        }
    }

    /**
     * How bytes of one writer schema are read.
     *
     * @param type the class of the record; null when this version has none of that name
     */
    private record Reader(
            long fingerprint, Schema writer, @Nullable Class<?> type, SpecificDatumReader<SpecificRecord> body) {}

    /** A codec for every released schema. */
    public EventCodec() {
        this(ReleasedSchemas.all());
    }

    EventCodec(ReleasedSchemas schemas) {
        this.schemas = schemas;
    }

    /** The event's bytes. */
    public byte[] encode(SpecificRecord event) {
        Writer writer = writers.computeIfAbsent(event.getSchema(), Writer::of);
        buffer.reset();
        buffer.writeBytes(writer.header);
        boolean written = false;
        try {
            writer.body.write(event, encoder);
            encoder.flush();
            written = true;
            return buffer.toByteArray();
        } catch (IOException e) {
            throw new IllegalStateException("a byte array refused bytes", e);
        } finally {
            if (!written) {
                // It still holds the beginning of the event that broke off.
                encoder = EncoderFactory.get().binaryEncoder(buffer, null);
            }
        }
    }

    /**
     * The event of type T that the bytes hold, written by any released schema of that record.
     *
     * @throws UndecodableEventException when they hold none
     */
    public <T extends SpecificRecord> T decode(byte[] bytes, Class<T> type) throws UndecodableEventException {
        Reader reader = reader(bytes);
        if (reader.type != type) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.UNEXPECTED_RECORD,
                    "record: must be " + SpecificData.get().getSchema(type).getFullName() + ", found "
                            + reader.writer.getFullName(),
                    null);
        }
        return type.cast(body(bytes, reader));
    }

    /**
     * The event that the bytes hold, of whichever record.
     *
     * @throws UndecodableEventException when they hold none
     */
    public SpecificRecord decode(byte[] bytes) throws UndecodableEventException {
        Reader reader = reader(bytes);
        if (reader.type == null) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.UNEXPECTED_RECORD,
                    "record: " + reader.writer.getFullName() + " is no longer read by this version",
                    null);
        }
        return body(bytes, reader);
    }

    /**
     * The schema that the bytes say they were written with.
     *
     * @throws UndecodableEventException when the header is not ours or names a schema that was never released
     */
    public Schema writerSchema(byte[] bytes) throws UndecodableEventException {
        return reader(bytes).writer;
    }

    /**
     * The fingerprint in the header.
     *
     * @throws UndecodableEventException when the bytes have no such header; the message names the framing that they seem to have
     */
    public static long fingerprint(byte[] bytes) throws UndecodableEventException {
        if (bytes.length < HEADER_BYTES || bytes[0] != MARKER_0 || bytes[1] != MARKER_1) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.NOT_SINGLE_OBJECT,
                    "header: must be c3 01 and a schema fingerprint, found " + describeStart(bytes),
                    null);
        }
        long fingerprint = 0;
        for (int i = HEADER_BYTES - 1; i >= 2; i--) {
            fingerprint = (fingerprint << 8) | (bytes[i] & 0xFF);
        }
        return fingerprint;
    }

    private Reader reader(byte[] bytes) throws UndecodableEventException {
        long fingerprint = fingerprint(bytes);
        Reader last = lastReader;
        if (last != null && last.fingerprint == fingerprint) {
            return last;
        }
        Reader reader = readers.get(fingerprint);
        if (reader == null) {
            Schema writer = schemas.byFingerprint(fingerprint);
            if (writer == null) {
                throw new UndecodableEventException(
                        UndecodableEventException.Reason.UNKNOWN_SCHEMA,
                        "schema fingerprint: must be of a released schema, found %016x".formatted(fingerprint),
                        null);
            }
            reader = readerOf(fingerprint, writer);
            readers.put(fingerprint, reader);
        }
        lastReader = reader;
        return reader;
    }

    private static Reader readerOf(long fingerprint, Schema writer) {
        for (Schema present : ReleasedSchemas.present()) {
            if (present.getFullName().equals(writer.getFullName())) {
                return new Reader(
                        fingerprint,
                        writer,
                        SpecificData.get().getClass(present),
                        new SpecificDatumReader<>(writer, present));
            }
        }
        return new Reader(fingerprint, writer, null, new SpecificDatumReader<>(writer));
    }

    private SpecificRecord body(byte[] bytes, Reader reader) throws UndecodableEventException {
        decoder.reset(bytes, HEADER_BYTES);
        SpecificRecord event;
        try {
            event = reader.body.read(null, decoder);
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException e) {
            // Avro throws all of these at bytes that break the schema.
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.MALFORMED,
                    "body: does not follow " + reader.writer.getFullName() + ": " + e.getMessage(),
                    e);
        }
        if (!decoder.isEnd()) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.MALFORMED, "body: bytes are left over after the record", null);
        }
        return event;
    }

    private static String describeStart(byte[] bytes) {
        if (bytes.length == 0) {
            return "nothing";
        }
        return switch (bytes[0]) {
            case '{', '[' -> "JSON";
            case 0 ->
                bytes.length < 5
                        ? "byte 00"
                        : "Confluent framing (magic byte 00, schema id "
                                + ByteBuffer.wrap(bytes, 1, 4).getInt() + ")";
            case 'O' ->
                bytes.length > 3 && bytes[1] == 'b' && bytes[2] == 'j' && bytes[3] == 1
                        ? "an Avro container file"
                        : "byte 4f";
            case MARKER_0 ->
                bytes.length < HEADER_BYTES ? "only " + bytes.length + " bytes" : "bytes c3 %02x".formatted(bytes[1]);
            default -> "byte %02x".formatted(bytes[0]);
        };
    }
}
