package io.inferwatch.schemas;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.UndecodableEventException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventCodecTest {
    private final EventCodec codec = new EventCodec();

    static Stream<Schema> records() {
        return ReleasedSchemas.present().stream();
    }

    @ParameterizedTest
    @MethodSource("records")
    void readsWhatItWrote(Schema schema) throws UndecodableEventException {
        RandomEvents events = new RandomEvents(1);
        for (int i = 0; i < 200; i++) {
            SpecificRecord event = events.next(schema);
            byte[] bytes = codec.encode(event);
            assertThat(codec.decode(bytes)).isEqualTo(event);
            assertThat(codec.decode(bytes, event.getClass())).isEqualTo(event);
            assertThat(codec.writerSchema(bytes)).isEqualTo(schema);
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void writesAvrosSingleObjectEncoding(Schema schema) throws Exception {
        SpecificRecord event = new RandomEvents(2).next(schema);
        BinaryMessageEncoder<SpecificRecord> avros = new BinaryMessageEncoder<>(SpecificData.get(), schema);
        BinaryMessageDecoder<SpecificRecord> avrosToo = new BinaryMessageDecoder<>(SpecificData.get(), schema);
        ByteBuffer encoded = avros.encode(event);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        assertThat(codec.decode(bytes)).isEqualTo(event);
        assertThat(avrosToo.decode(codec.encode(event))).isEqualTo(event);
    }

    @Test
    void goesOnAfterAnEventThatCannotBeWritten() throws UndecodableEventException {
        RequestEvent whole = (RequestEvent) new RandomEvents(3).next(RequestEvent.getClassSchema());
        RequestEvent broken = RequestEvent.newBuilder(whole).build();
        broken.put("outcome", null);
        assertThatThrownBy(() -> codec.encode(broken)).isInstanceOf(RuntimeException.class);
        assertThat(codec.decode(codec.encode(whole), RequestEvent.class)).isEqualTo(whole);
    }

    @Test
    void namesTheFramingThatItFindsInPlaceOfOurs() {
        String rule = "header: must be c3 01 and a schema fingerprint, found ";
        // KAF-01: JSON where Avro is due.
        refuses("{\"a\":1}".getBytes(US_ASCII), Reason.NOT_SINGLE_OBJECT, rule + "JSON");
        refuses("[{\"a\":1},{\"a\":2}]".getBytes(US_ASCII), Reason.NOT_SINGLE_OBJECT, rule + "JSON");
        refuses(
                hex("00000000080a0b0c0d0e0f"),
                Reason.NOT_SINGLE_OBJECT,
                rule + "Confluent framing (magic byte 00, schema id 8)");
        refuses(hex("4f626a01020304050607"), Reason.NOT_SINGLE_OBJECT, rule + "an Avro container file");
        refuses(new byte[0], Reason.NOT_SINGLE_OBJECT, rule + "nothing");
        refuses(hex("00"), Reason.NOT_SINGLE_OBJECT, rule + "byte 00");
        refuses(hex("c3"), Reason.NOT_SINGLE_OBJECT, rule + "only 1 bytes");
        refuses(hex("c301020304050607ff"), Reason.NOT_SINGLE_OBJECT, rule + "only 9 bytes");
        refuses(hex("c302020304050607ffff"), Reason.NOT_SINGLE_OBJECT, rule + "bytes c3 02");
        refuses("Objection!".getBytes(US_ASCII), Reason.NOT_SINGLE_OBJECT, rule + "byte 4f");
        // KAF-06: a key's text is no event.
        refuses("req-1".getBytes(US_ASCII), Reason.NOT_SINGLE_OBJECT, rule + "byte 72");
    }

    @Test
    void refusesAFingerprintThatWasNeverReleased() {
        refuses(
                hex("c3010123456789abcdef00"),
                Reason.UNKNOWN_SCHEMA,
                "schema fingerprint: must be of a released schema, found efcdab8967452301");
    }

    @Test
    void refusesTheRightFramingOfAnotherRecord() {
        // KAF-05: an identifier that means another record than the reader thinks.
        byte[] heartbeat = codec.encode(new RandomEvents(4).next(Heartbeat.getClassSchema()));
        assertThatThrownBy(() -> codec.decode(heartbeat, RequestEvent.class))
                .isInstanceOfSatisfying(UndecodableEventException.class, e -> assertThat(e.reason())
                        .isEqualTo(Reason.UNEXPECTED_RECORD))
                .hasMessage(
                        "record: must be io.inferwatch.schemas.RequestEvent, found io.inferwatch.schemas.Heartbeat");
    }

    @Test
    void refusesARecordThatThisVersionDoesNotHave() {
        Schema retired = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"io.inferwatch.schemas.Retired\",\"fields\":[]}");
        EventCodec reading = new EventCodec(ReleasedSchemas.all().with(retired));
        byte[] bytes = header(retired);
        assertThatThrownBy(() -> reading.decode(bytes))
                .isInstanceOfSatisfying(UndecodableEventException.class, e -> assertThat(e.reason())
                        .isEqualTo(Reason.UNEXPECTED_RECORD))
                .hasMessage("record: io.inferwatch.schemas.Retired is no longer read by this version");
    }

    @ParameterizedTest
    @MethodSource("records")
    void refusesEveryBodyThatBreaksOff(Schema schema) {
        byte[] whole = codec.encode(new RandomEvents(5).next(schema));
        for (int length = EventCodec.HEADER_BYTES; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> codec.decode(cut))
                    .as("cut to %d of %d bytes", length, whole.length)
                    .isInstanceOfSatisfying(UndecodableEventException.class, e -> assertThat(e.reason())
                            .isEqualTo(Reason.MALFORMED))
                    .hasMessageStartingWith("body: does not follow " + schema.getFullName() + ": ");
        }
    }

    @Test
    void refusesBytesAfterTheRecord() {
        byte[] whole = codec.encode(new RandomEvents(6).next(Heartbeat.getClassSchema()));
        refuses(Arrays.copyOf(whole, whole.length + 1), Reason.MALFORMED, "body: bytes are left over after the record");
    }

    @Test
    void takesNoMoreMemoryThanTheBytesCanFill() {
        byte[] header = header(HealthSample.getClassSchema());
        // A text of 2^30 bytes, of which none is there.
        refuses(
                concat(header, hex("8080808008")),
                Reason.MALFORMED,
                "body: does not follow io.inferwatch.schemas.HealthSample: length 1073741824 runs beyond the 0 bytes that are left");
        // A map of 2^30 entries.
        refuses(
                concat(header, hex("000000"), hex("8080808008")),
                Reason.MALFORMED,
                "body: does not follow io.inferwatch.schemas.HealthSample: items 1073741824 runs beyond the 0 bytes that are left");
    }

    @Test
    void readsASymbolThatItDoesNotKnowAsUnknown() throws Exception {
        // KAF-08: the writer's enum has a symbol more.
        String present = RequestEvent.getClassSchema().toString();
        Schema newer = new Schema.Parser().parse(present.replace("\"REJECTED\"", "\"REJECTED\",\"EVAPORATED\""));
        GenericRecord event = generic(newer);
        event.put(
                "outcome", new GenericData.EnumSymbol(newer.getField("outcome").schema(), "EVAPORATED"));
        EventCodec reading = new EventCodec(ReleasedSchemas.all().with(newer));
        assertThat(reading.decode(bytes(event), RequestEvent.class).getOutcome())
                .isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void readsFieldsThatWereAddedRemovedWidenedOrMoved() throws Exception {
        // KAF-10, on a short ancestor of Heartbeat: other order, int for long, a field that is gone, no spooledEvents
        // yet.
        Schema older = heartbeat(
                "{\"name\":\"legacy\",\"type\":\"boolean\"},{\"name\":\"startedTotal\",\"type\":\"int\"},", "");
        GenericRecord event = new GenericData.Record(older);
        event.put("legacy", true);
        event.put("startedTotal", 42);
        event.put("nextSequence", 9_007_199_254_740_993L);
        event.put("replica", "r-1");
        event.put("stream", "s");
        for (String name : List.of("eventTimeMicros", "emittedAtMicros", "intervalMicros", "openRequests")) {
            event.put(name, 7L);
        }
        for (String name : List.of("awaitingFirstToken", "completedTotal", "failedTotal", "cancelledTotal")) {
            event.put(name, 0L);
        }
        event.put("source", new GenericData.EnumSymbol(older.getField("source").schema(), "PROXY"));
        EventCodec reading = new EventCodec(ReleasedSchemas.all().with(older));
        Heartbeat read = reading.decode(bytes(event), Heartbeat.class);
        assertThat(read.getStartedTotal()).isEqualTo(42L);
        assertThat(read.getNextSequence()).isEqualTo(9_007_199_254_740_993L);
        assertThat(read.getReplica()).isEqualTo("r-1");
        assertThat(read.getSpooledEvents()).isZero();
        assertThat(read.getNode()).isNull();
    }

    @Test
    void namesTheFieldThatTheWriterLacks() throws Exception {
        Schema older = new Schema.Parser()
                .parse(
                        "{\"type\":\"record\",\"name\":\"HealthSample\",\"namespace\":\"io.inferwatch.schemas\",\"fields\":["
                                + "{\"name\":\"component\",\"type\":\"string\"},{\"name\":\"atMicros\",\"type\":\"long\"},"
                                + "{\"name\":\"values\",\"type\":{\"type\":\"map\",\"values\":\"double\"}}]}");
        GenericRecord event = new GenericData.Record(older);
        event.put("component", "store");
        event.put("atMicros", 1L);
        event.put("values", java.util.Map.of());
        EventCodec reading = new EventCodec(ReleasedSchemas.all().with(older));
        byte[] bytes = bytes(event);
        assertThatThrownBy(() -> reading.decode(bytes))
                .isInstanceOfSatisfying(UndecodableEventException.class, e -> assertThat(e.reason())
                        .isEqualTo(Reason.MALFORMED))
                .hasMessageContaining("missing required field instance");
    }

    @Test
    void labelsReasonsAsDeadLettersWriteThem() {
        assertThat(Arrays.stream(Reason.values()).map(Reason::label))
                .containsExactly("not-single-object", "unknown-schema", "unexpected-record", "malformed");
    }

    private void refuses(byte[] bytes, Reason reason, String message) {
        assertThatThrownBy(() -> codec.decode(bytes))
                .isInstanceOfSatisfying(UndecodableEventException.class, e -> assertThat(e.reason())
                        .isEqualTo(reason))
                .hasMessage(message);
    }

    private static Schema heartbeat(String first, String last) {
        StringBuilder fields = new StringBuilder(first);
        for (String name : List.of(
                "nextSequence",
                "eventTimeMicros",
                "emittedAtMicros",
                "intervalMicros",
                "openRequests",
                "awaitingFirstToken",
                "completedTotal",
                "failedTotal",
                "cancelledTotal")) {
            fields.append("{\"name\":\"").append(name).append("\",\"type\":\"long\"},");
        }
        return new Schema.Parser()
                .parse(
                        "{\"type\":\"record\",\"name\":\"Heartbeat\",\"namespace\":\"io.inferwatch.schemas\",\"fields\":["
                                + fields
                                + "{\"name\":\"replica\",\"type\":\"string\"},{\"name\":\"stream\",\"type\":\"string\"},"
                                + "{\"name\":\"source\",\"type\":{\"type\":\"enum\",\"name\":\"Source\",\"symbols\":[\"PROXY\"]}}"
                                + last
                                + "]}");
    }

    /** A generic record with all the values of a random event. */
    private static GenericRecord generic(Schema schema) {
        SpecificRecord event = new RandomEvents(7).next(RequestEvent.getClassSchema());
        GenericRecord record = new GenericData.Record(schema);
        for (Schema.Field field : event.getSchema().getFields()) {
            Object value = event.get(field.pos());
            Schema target = schema.getField(field.name()).schema();
            record.put(
                    field.name(),
                    value instanceof Enum<?> symbol ? new GenericData.EnumSymbol(target, symbol.name()) : value);
        }
        return record;
    }

    private static byte[] bytes(GenericRecord event) throws java.io.IOException {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        out.writeBytes(header(event.getSchema()));
        org.apache.avro.io.BinaryEncoder encoder =
                org.apache.avro.io.EncoderFactory.get().directBinaryEncoder(out, null);
        new GenericDatumWriter<GenericRecord>(event.getSchema()).write(event, encoder);
        return out.toByteArray();
    }

    private static byte[] header(Schema schema) {
        return ByteBuffer.allocate(10)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0xC3)
                .put((byte) 1)
                .putLong(SchemaNormalization.parsingFingerprint64(schema))
                .array();
    }

    private static byte[] concat(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
