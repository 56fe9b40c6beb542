package io.inferwatch.probes.otlp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads OTLP's JSON form into the official messages. It is protobuf's JSON form but for ids, which are hexadecimal, and enums, which are
 * numbers. Whole numbers of 64 bits are exact, as texts and as numbers. As far as it is unambiguous it takes what senders in the wild write:
 * snake_case keys, names of enum values, and ids in base64. Unknown keys are skipped, as the specification asks.
 */
final class OtlpJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Map<String, Integer> ID_BYTES = Map.of("traceId", 16, "spanId", 8, "parentSpanId", 8);
    private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

    private OtlpJson() {}

    /**
     * Fills a message.
     *
     * @throws IOException with what is wrong where, when the bytes are no such message
     */
    static void merge(byte[] json, Message.Builder message) throws IOException {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            // The parser's own message may quote the text.
            throw new IOException("no JSON"
                    + (e.getLocation() == null
                            ? ""
                            : ": line " + e.getLocation().getLineNr() + ", column "
                                    + e.getLocation().getColumnNr()));
        }
        merge("", root, message);
    }

    private static void merge(String path, JsonNode node, Message.Builder message) throws IOException {
        if (!node.isObject()) {
            throw wrong(path, "an object");
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            FieldDescriptor field = field(message.getDescriptorForType(), entry.getKey());
            JsonNode value = entry.getValue();
            if (field == null || value.isNull()) {
                continue;
            }
            String where = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
            if (!field.isRepeated()) {
                message.setField(field, value(where, value, field, message));
                continue;
            }
            if (!value.isArray()) {
                throw wrong(where, "an array");
            }
            for (int i = 0; i < value.size(); i++) {
                message.addRepeatedField(field, value(where + "[" + i + "]", value.get(i), field, message));
            }
        }
    }

    private static @Nullable FieldDescriptor field(Descriptor type, String key) {
        FieldDescriptor snakeCase = type.findFieldByName(key);
        if (snakeCase != null) {
            return snakeCase;
        }
        for (FieldDescriptor field : type.getFields()) {
            if (field.getJsonName().equals(key)) {
                return field;
            }
        }
        return null;
    }

    private static Object value(String path, JsonNode node, FieldDescriptor field, Message.Builder parent)
            throws IOException {
        return switch (field.getJavaType()) {
            case MESSAGE -> {
                Message.Builder child = parent.newBuilderForField(field);
                merge(path, node, child);
                yield child.build();
            }
            case STRING -> {
                if (!node.isTextual()) {
                    throw wrong(path, "a text");
                }
                yield node.textValue();
            }
            case BOOLEAN -> {
                if (!node.isBoolean()) {
                    throw wrong(path, "true or false");
                }
                yield node.booleanValue();
            }
            case LONG -> whole(path, node).longValue();
            case INT -> whole(path, node).intValue();
            case FLOAT -> (float) real(path, node);
            case DOUBLE -> real(path, node);
            case ENUM -> enumValue(path, node, field);
            case BYTE_STRING -> bytes(path, node, field);
        };
    }

    private static BigInteger whole(String path, JsonNode node) throws IOException {
        BigInteger number;
        if (node.isIntegralNumber()) {
            number = node.bigIntegerValue();
        } else if (node.isTextual() && node.textValue().matches("-?\\d{1,20}")) {
            number = new BigInteger(node.textValue());
        } else {
            throw wrong(path, "a whole number");
        }
        if (number.bitLength() > 63 && (number.signum() < 0 || number.compareTo(TWO_TO_64) >= 0)) {
            throw wrong(path, "a whole number of 64 bits");
        }
        return number;
    }

    private static double real(String path, JsonNode node) throws IOException {
        if (node.isNumber()) {
            return node.doubleValue();
        }
        if (node.isTextual() && NOT_FINITE.contains(node.textValue())) {
            return Double.parseDouble(node.textValue());
        }
        throw wrong(path, "a number");
    }

    private static EnumValueDescriptor enumValue(String path, JsonNode node, FieldDescriptor field) throws IOException {
        EnumValueDescriptor value = node.isTextual()
                ? field.getEnumType().findValueByName(node.textValue())
                : field.getEnumType()
                        .findValueByNumberCreatingIfUnknown(whole(path, node).intValue());
        if (value == null) {
            throw wrong(path, "a value of " + field.getEnumType().getName());
        }
        return value;
    }

    /** An id that can be read in neither way is empty: its span is refused, and not the whole post. */
    private static ByteString bytes(String path, JsonNode node, FieldDescriptor field) throws IOException {
        if (!node.isTextual()) {
            throw wrong(path, "a text");
        }
        String text = node.textValue();
        Integer idBytes = ID_BYTES.get(field.getJsonName());
        try {
            if (idBytes != null && text.length() == 2 * idBytes) {
                return ByteString.copyFrom(HexFormat.of().parseHex(text));
            }
            byte[] decoded = Base64.getDecoder().decode(text);
            return idBytes == null || decoded.length == idBytes ? ByteString.copyFrom(decoded) : ByteString.EMPTY;
        } catch (IllegalArgumentException e) {
            if (idBytes != null) {
                return ByteString.EMPTY;
            }
            throw wrong(path, "base64");
        }
    }

    private static IOException wrong(String path, String mustBe) {
        return new IOException((path.isEmpty() ? "the body" : path) + ": must be " + mustBe);
    }
}
