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
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/**
 * Writes and reads events in Avro's single-object encoding: two marker bytes, the writer schema's CRC-64-AVRO fingerprint in little
 * endian, the binary body. The header is checked here, because the generated decoders take twice as long. Not thread safe.
 */
public final class EventCodec {
    /** Bytes before the body. */
    public static final int HEADER_BYTES = 10;

    private static final byte MARKER_0 = (byte) 0xC3;
    private static final byte MARKER_1 = 0x01;

    private record Key(long fingerprint, String readerName) {}

    private final ReleasedSchemas schemas = ReleasedSchemas.all();
    private final Map<Schema, Writer> writers = new HashMap<>();
    private final Map<Key, SpecificDatumReader<SpecificRecord>> readers = new HashMap<>();
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(1024);
    private BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(buffer, null);
    private BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(new byte[0], null);

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

    /** The event's bytes. */
    public byte[] encode(SpecificRecord event) {
        Writer writer = writers.computeIfAbsent(event.getSchema(), Writer::of);
        buffer.reset();
        buffer.writeBytes(writer.header);
        encoder = EncoderFactory.get().directBinaryEncoder(buffer, encoder);
        try {
            writer.body.write(event, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new IllegalStateException("a byte array refused bytes", e);
        }
        return buffer.toByteArray();
    }

    /**
     * The event of type T that the bytes hold, written by any released schema of that record.
     *
     * @throws UndecodableEventException when they hold none
     */
    public <T extends SpecificRecord> T decode(byte[] bytes, Class<T> type) throws UndecodableEventException {
        Schema writer = writerSchema(bytes);
        Schema reader = SpecificData.get().getSchema(type);
        if (!writer.getFullName().equals(reader.getFullName())) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.UNEXPECTED_RECORD,
                    "record: must be " + reader.getFullName() + ", found " + writer.getFullName(),
                    null);
        }
        return type.cast(body(bytes, writer, reader));
    }

    /**
     * The event that the bytes hold, of whichever record.
     *
     * @throws UndecodableEventException when they hold none
     */
    public SpecificRecord decode(byte[] bytes) throws UndecodableEventException {
        Schema writer = writerSchema(bytes);
        for (Schema present : ReleasedSchemas.present()) {
            if (present.getFullName().equals(writer.getFullName())) {
                return body(bytes, writer, present);
            }
        }
        throw new UndecodableEventException(
                UndecodableEventException.Reason.UNEXPECTED_RECORD,
                "record: " + writer.getFullName() + " is no longer read by this version",
                null);
    }

    /**
     * The schema that the bytes say they were written with.
     *
     * @throws UndecodableEventException when the header is not ours or names a schema that was never released
     */
    public Schema writerSchema(byte[] bytes) throws UndecodableEventException {
        long fingerprint = fingerprint(bytes);
        Schema writer = schemas.byFingerprint(fingerprint);
        if (writer == null) {
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.UNKNOWN_SCHEMA,
                    "schema fingerprint: must be of a released schema, found %016x".formatted(fingerprint),
                    null);
        }
        return writer;
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
        return ByteBuffer.wrap(bytes, 2, 8).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private SpecificRecord body(byte[] bytes, Schema writer, Schema reader) throws UndecodableEventException {
        SpecificDatumReader<SpecificRecord> datumReader = readers.computeIfAbsent(
                new Key(SchemaNormalization.parsingFingerprint64(writer), reader.getFullName()),
                key -> new SpecificDatumReader<>(writer, reader));
        decoder = DecoderFactory.get().binaryDecoder(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, decoder);
        try {
            SpecificRecord event = datumReader.read(null, decoder);
            if (!decoder.isEnd()) {
                throw new UndecodableEventException(
                        UndecodableEventException.Reason.MALFORMED, "body: bytes are left over after the record", null);
            }
            return event;
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            // Avro throws all of these at bytes that break the schema.
            throw new UndecodableEventException(
                    UndecodableEventException.Reason.MALFORMED,
                    "body: does not follow " + writer.getFullName() + ": " + e,
                    e);
        }
    }

    private static String describeStart(byte[] bytes) {
        if (bytes.length == 0) {
            return "nothing";
        }
        return switch (bytes[0]) {
            case '{', '[' -> "JSON";
            case 0 -> "Confluent framing (magic byte 00)";
            case 'O' -> bytes.length > 2 && bytes[1] == 'b' && bytes[2] == 'j' ? "an Avro container file" : "byte 4f";
            default ->
                bytes.length < HEADER_BYTES && bytes[0] == MARKER_0
                        ? "only " + bytes.length + " bytes"
                        : "byte %02x".formatted(bytes[0]);
        };
    }
}
