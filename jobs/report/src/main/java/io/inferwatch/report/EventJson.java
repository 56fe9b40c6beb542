package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records as JSON, one a line: place and time, then the event with absent fields left out and bytes in base64. What cannot be decoded
 * is shown with the reason and its first bytes. Not thread safe.
 */
final class EventJson {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int SHOWN_BYTES = 64;

    private final EventCodec codec = new EventCodec();

    String line(ConsumerRecord<byte[], byte[]> record) {
        ObjectNode line = NODES.objectNode();
        line.put("topic", record.topic());
        line.put("partition", record.partition());
        line.put("offset", record.offset());
        line.put("timestamp", Instant.ofEpochMilli(record.timestamp()).toString());
        if (record.key() != null) {
            line.put("key", new String(record.key(), StandardCharsets.UTF_8));
        }
        byte[] value = record.value();
        if (value == null) {
            line.put("tombstone", true);
        } else {
            try {
                IndexedRecord event = codec.decode(value);
                line.put("record", event.getSchema().getName());
                line.set("event", json(event));
            } catch (UndecodableEventException e) {
                ObjectNode fault = line.putObject("undecodable");
                fault.put("reason", e.reason().label());
                fault.put("detail", e.getMessage());
                fault.put("valueBytes", value.length);
                fault.put(
                        "value",
                        Base64.getEncoder().encodeToString(Arrays.copyOf(value, Math.min(value.length, SHOWN_BYTES))));
            }
        }
        try {
            return JSON.writeValueAsString(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static ObjectNode json(IndexedRecord record) {
        ObjectNode node = NODES.objectNode();
        for (Schema.Field field : record.getSchema().getFields()) {
            Object value = record.get(field.pos());
            if (value != null) {
                node.set(field.name(), value(value));
            }
        }
        return node;
    }

    private static JsonNode value(@Nullable Object value) {
        if (value == null) {
            return NODES.nullNode();
        }
        if (value instanceof IndexedRecord record) {
            return json(record);
        }
        if (value instanceof List<?> list) {
            ArrayNode array = NODES.arrayNode();
            list.forEach(item -> array.add(value(item)));
            return array;
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode node = NODES.objectNode();
            map.forEach((key, item) -> node.set(key.toString(), value(item)));
            return node;
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return NODES.textNode(Base64.getEncoder().encodeToString(bytes));
        }
        return JSON.valueToTree(value instanceof CharSequence || value instanceof Enum<?> ? value.toString() : value);
    }
}
