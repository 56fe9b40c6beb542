package io.inferwatch.probes.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file with one JSON object on each line. */
final class JsonLines {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Path file;
    private final TraceRows rows;
    private long line;

    JsonLines(Path file, TraceRows rows) {
        this.file = file;
        this.rows = rows;
    }

    interface RowReader {
        void read(JsonNode object, Fields fields, long row);
    }

    /**
     * Hands over the objects in order, numbered from 1. Blank lines at the end are none; one in the middle is warned of.
     *
     * @throws BadTraceException when a line is no JSON object
     */
    void read(RowReader rowReader) {
        TraceFile.read(file, () -> line, reader -> {
            long row = 0;
            long blankLine = 0;
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                line++;
                if (text.isBlank()) {
                    blankLine = line;
                    continue;
                }
                if (blankLine > 0) {
                    rows.warn(file + ":" + blankLine + ": blank line in the middle, passed over");
                    blankLine = 0;
                }
                JsonNode object = parse(text);
                rowReader.read(object, new Fields(file + ":" + line, name -> value(object, name)), ++row);
            }
        });
    }

    private JsonNode parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (node.isObject()) {
                return node;
            }
            throw new BadTraceException(file + ":" + line + ": must be a JSON object, found '" + shortened(text) + "'");
        } catch (JsonProcessingException e) {
            throw new BadTraceException(file + ":" + line + ": must be a JSON object, found '" + shortened(text) + "': "
                    + e.getOriginalMessage().lines().findFirst().orElse("unreadable"));
        }
    }

    private static @Nullable String value(JsonNode object, String name) {
        JsonNode value = object.get(name);
        return value == null || value.isNull() || value.isContainerNode() ? null : value.asText();
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }
}
