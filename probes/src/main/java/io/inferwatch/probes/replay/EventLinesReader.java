package io.inferwatch.probes.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.settings.Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * RequestEvents as JSON lines, with the schema's field names; null and left out mean the same. Bytes are texts of one character a byte, as
 * Avro writes them. Stream, sequence and source are set anew; a start that is not given is the end less the E2E time. Everything else is
 * kept, so that nothing is computed that was measured.
 */
final class EventLinesReader implements TraceReader {
    private static final String RECORD = "RequestEvent";

    private final TraceRows rows;

    EventLinesReader(TraceRows rows) {
        this.rows = rows;
    }

    @Override
    public void read(Path file) {
        new JsonLines(file, rows).read((line, fields, row) -> {
            // As inferwatch events tail prints them: where a record lies, and the record.
            boolean isRecord = line.hasNonNull("record") && line.path("event").isObject();
            if (isRecord && !line.get("record").asText().equals(RECORD)) {
                return;
            }
            JsonNode object = isRecord ? line.get("event") : line;
            RequestEvent event = rows.blank();
            fill(
                    event,
                    object,
                    fields.where(),
                    "",
                    isRecord ? Base64.getDecoder()::decode : EventLinesReader::oneCharacterAByte);
            for (String required : List.of("completedAtMicros", "outcome")) {
                if (!object.hasNonNull(required)) {
                    throw fields.bad(required, "must be there", "no value");
                }
            }
            event.setSource(Source.REPLAY);
            if (!object.hasNonNull("startedAtMicros")) {
                Long e2e = event.getE2eMicros();
                event.setStartedAtMicros(event.getCompletedAtMicros() - (e2e == null ? 0 : e2e));
            }
            if (event.getStartedAtMicros() > event.getCompletedAtMicros()) {
                throw fields.bad(
                        "startedAtMicros",
                        "must not be after completedAtMicros",
                        Long.toString(event.getStartedAtMicros()));
            }
            String session = event.getSession();
            rows.addAsRecorded(event, row, session);
        });
    }

    private static byte[] oneCharacterAByte(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void fill(
            SpecificRecord target, JsonNode object, String where, String path, Function<String, byte[]> bytes) {
        Schema schema = target.getSchema();
        Set<String> known = new LinkedHashSet<>();
        for (Schema.Field field : schema.getFields()) {
            known.add(field.name());
            JsonNode value = object.get(field.name());
            if (value != null && !value.isNull()) {
                target.put(field.pos(), value(field.schema(), value, where, path + field.name(), bytes));
            } else if (field.hasDefaultValue()) {
                target.put(field.pos(), SpecificData.get().getDefaultValue(field));
            } else if (!path.isEmpty()) {
                throw new BadTraceException(where + ": " + path + field.name() + ": must be there, found no value");
            }
        }
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new BadTraceException(
                        where + ": '" + path + name + "': unknown field" + Settings.nearest(name, known));
            }
        });
    }

    private static @Nullable Object value(
            Schema schema, JsonNode value, String where, String path, Function<String, byte[]> bytes) {
        return switch (schema.getType()) {
            case UNION -> {
                for (Schema branch : schema.getTypes()) {
                    if (branch.getType() != Schema.Type.NULL) {
                        yield value(branch, value, where, path, bytes);
                    }
                }
                yield null;
            }
            case STRING -> {
                require(value.isTextual(), "a text", value, where, path);
                yield value.textValue();
            }
            case LONG -> {
                require(value.isIntegralNumber() && value.canConvertToLong(), "a whole number", value, where, path);
                yield value.longValue();
            }
            case INT -> {
                require(value.isIntegralNumber() && value.canConvertToInt(), "a whole number", value, where, path);
                yield value.intValue();
            }
            case BOOLEAN -> {
                require(value.isBoolean(), "true or false", value, where, path);
                yield value.booleanValue();
            }
            case BYTES -> {
                require(value.isTextual(), "a text of one character a byte", value, where, path);
                yield ByteBuffer.wrap(bytes.apply(value.textValue()));
            }
            case ENUM -> {
                boolean known = value.isTextual() && schema.hasEnumSymbol(value.textValue());
                require(known, "one of " + String.join(", ", schema.getEnumSymbols()), value, where, path);
                yield SpecificData.get().createEnum(value.textValue(), schema);
            }
            case ARRAY -> {
                require(value.isArray(), "a list", value, where, path);
                List<@Nullable Object> items = new ArrayList<>();
                for (int i = 0; i < value.size(); i++) {
                    items.add(value(schema.getElementType(), value.get(i), where, path + "[" + i + "]", bytes));
                }
                yield items;
            }
            case MAP -> {
                require(value.isObject(), "a mapping", value, where, path);
                Map<String, @Nullable Object> entries = new LinkedHashMap<>();
                value.properties()
                        .forEach(entry -> entries.put(
                                entry.getKey(),
                                value(
                                        schema.getValueType(),
                                        entry.getValue(),
                                        where,
                                        path + "." + entry.getKey(),
                                        bytes)));
                yield entries;
            }
            case RECORD -> {
                require(value.isObject(), "a mapping", value, where, path);
                SpecificRecord record = (SpecificRecord)
                        SpecificData.newInstance(SpecificData.get().getClass(schema), schema);
                fill(record, value, where, path + ".", bytes);
                yield record;
            }
            default -> throw new IllegalStateException(path + ": no rule for " + schema.getType());
        };
    }

    private static void require(boolean holds, String rule, JsonNode value, String where, String path) {
        if (!holds) {
            throw new BadTraceException(where + ": " + path + ": must be " + rule + ", found " + value);
        }
    }
}
