package io.inferwatch.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the promise to every probe and job that was ever released: what it wrote is read. */
class SchemaCompatibilityTest {
    private static final Map<String, List<Schema>> RELEASES =
            ReleasedSchemas.all().byRelease();

    static Stream<Schema> released() {
        return RELEASES.values().stream().flatMap(List::stream);
    }

    static Stream<Schema> present() {
        return ReleasedSchemas.present().stream();
    }

    @Test
    void everyReleaseHasAllItsRecords() {
        assertThat(RELEASES).isNotEmpty();
        RELEASES.forEach((release, schemas) -> assertThat(schemas.stream().map(Schema::getName))
                .as(release)
                .contains("RequestEvent", "Heartbeat", "WindowStat", "Alert", "DeadLetter", "HealthSample")
                .doesNotHaveDuplicates());
    }

    @ParameterizedTest
    @MethodSource("released")
    void thePresentSchemaReadsWhatAReleaseWrote(Schema written) {
        SchemaCompatibility.SchemaPairCompatibility pair =
                SchemaCompatibility.checkReaderWriterCompatibility(presentOf(written), written);
        assertThat(pair.getType()).as(pair.getDescription()).isEqualTo(SchemaCompatibilityType.COMPATIBLE);
    }

    @ParameterizedTest
    @MethodSource("released")
    void aReleasedFingerprintIsKnown(Schema written) {
        assertThat(ReleasedSchemas.all().byFingerprint(SchemaNormalization.parsingFingerprint64(written)))
                .isEqualTo(written);
    }

    @ParameterizedTest
    @MethodSource("released")
    void fieldsAreOnlyAddedAndWithDefaults(Schema written) {
        Schema present = presentOf(written);
        assertThat(present.getFields().stream().map(Schema.Field::name))
                .as("fields of " + written.getName() + " that were released")
                .containsAll(
                        written.getFields().stream().map(Schema.Field::name).toList());
        present.getFields().stream()
                .filter(field -> written.getField(field.name()) == null)
                .forEach(field -> assertThat(field.hasDefaultValue())
                        .as("default of " + written.getName() + "." + field.name())
                        .isTrue());
    }

    @ParameterizedTest
    @MethodSource("released")
    void symbolsOfEnumsAreOnlyAdded(Schema written) {
        Map<String, Schema> enums = new java.util.HashMap<>();
        walk(presentOf(written)).stream()
                .filter(schema -> schema.getType() == Schema.Type.ENUM)
                .forEach(schema -> enums.put(schema.getFullName(), schema));
        walk(written).stream()
                .filter(schema -> schema.getType() == Schema.Type.ENUM)
                .forEach(schema -> assertThat(enums.get(schema.getFullName()))
                        .as(schema.getFullName())
                        .extracting(Schema::getEnumSymbols)
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                        .containsAll(schema.getEnumSymbols()));
    }

    @ParameterizedTest
    @MethodSource("released")
    void aRecordOfAReleaseIsDecoded(Schema written) throws Exception {
        SpecificRecord event = new RandomEvents(11).next(presentOf(written));
        EventCodec codec = new EventCodec();
        byte[] bytes = OldWriter.write(event, written);
        SpecificRecord read = codec.decode(bytes);
        GenericRecord expected = asWritten(bytes, written);
        GenericRecord actual = asWritten(OldWriter.write(read, written), written);
        for (Schema.Field field : written.getFields()) {
            assertThat(actual.get(field.pos())).as(field.name()).isEqualTo(expected.get(field.pos()));
        }
    }

    /** The record with the fields of that schema alone, nested ones included. */
    private static GenericRecord asWritten(byte[] bytes, Schema written) throws IOException {
        return new GenericDatumReader<GenericRecord>(written)
                .read(
                        null,
                        DecoderFactory.get()
                                .binaryDecoder(
                                        bytes, EventCodec.HEADER_BYTES, bytes.length - EventCodec.HEADER_BYTES, null));
    }

    @ParameterizedTest
    @MethodSource("present")
    void everyEnumHasADefaultForSymbolsToCome(Schema schema) {
        walk(schema).stream()
                .filter(type -> type.getType() == Schema.Type.ENUM)
                .forEach(type ->
                        assertThat(type.getEnumDefault()).as(type.getFullName()).isNotNull());
    }

    @ParameterizedTest
    @MethodSource("present")
    void everyRecordAndFieldIsExplained(Schema schema) {
        assertThat(schema.getDoc()).as(schema.getFullName()).isNotBlank();
        walk(schema).stream()
                .filter(type -> type.getType() == Schema.Type.RECORD)
                .flatMap(type -> type.getFields().stream())
                .forEach(field -> assertThat(field.doc()).as(field.name()).isNotBlank());
    }

    @ParameterizedTest
    @MethodSource("present")
    void timesAreWholeNumbersWithTheirUnitInTheName(Schema schema) {
        walk(schema).stream()
                .filter(type -> type.getType() == Schema.Type.RECORD)
                .flatMap(type -> type.getFields().stream())
                .forEach(field -> {
                    String doc = String.valueOf(field.doc());
                    Schema.Type type = walk(field.schema()).stream()
                            .map(Schema::getType)
                            .filter(t -> t != Schema.Type.NULL
                                    && t != Schema.Type.UNION
                                    && t != Schema.Type.MAP
                                    && t != Schema.Type.ARRAY)
                            .findFirst()
                            .orElseThrow();
                    if (type == Schema.Type.LONG || type == Schema.Type.INT) {
                        if (doc.contains("microseconds")) {
                            assertThat(field.name()).endsWith("Micros");
                        }
                        if (doc.contains("nanoseconds")) {
                            assertThat(field.name()).endsWith("Nanos");
                        }
                    }
                    if (field.name().endsWith("Micros") || field.name().endsWith("Nanos")) {
                        assertThat(type).as(field.name()).isEqualTo(Schema.Type.LONG);
                    }
                    assertThat(field.name())
                            .doesNotMatch(".*(Millis|Seconds|Ms|Us|Ns)$")
                            .matches("[a-z][A-Za-z0-9]*");
                });
    }

    private static Schema presentOf(Schema released) {
        return ReleasedSchemas.present().stream()
                .filter(schema -> schema.getFullName().equals(released.getFullName()))
                .findFirst()
                .orElseThrow(() -> new AssertionError(released.getFullName() + " was released and is gone"));
    }

    /** The schema and all that it is made of. */
    private static Set<Schema> walk(Schema schema) {
        Set<Schema> found = new LinkedHashSet<>();
        walk(schema, found);
        return found;
    }

    private static void walk(Schema schema, Set<Schema> found) {
        if (!found.add(schema)) {
            return;
        }
        switch (schema.getType()) {
            case RECORD -> schema.getFields().forEach(field -> walk(field.schema(), found));
            case UNION -> schema.getTypes().forEach(type -> walk(type, found));
            case ARRAY -> walk(schema.getElementType(), found);
            case MAP -> walk(schema.getValueType(), found);
            default -> {}
        }
    }
}
