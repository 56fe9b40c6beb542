package io.inferwatch.probes.reports;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One report, a JSON object, read strictly: a key that nobody knows is an error, like a value of the wrong kind. */
final class ReportFields {
    static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final int MAX_TEXT = 256;
    private static final int MAX_LABELS = 16;

    private final JsonNode object;

    private ReportFields(JsonNode object) {
        this.object = object;
    }

    /**
     * The objects of a body: one, or a list of them.
     *
     * @throws BadReportException when it is neither, or no JSON
     */
    static List<JsonNode> objects(byte[] body, int limit) throws BadReportException {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw new BadReportException("body: must be JSON, found " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new BadReportException("body: must be JSON in UTF-8, found " + e.getMessage());
        }
        if (root == null || root.isMissingNode()) {
            throw new BadReportException("body: must be a JSON object or a list of them, found nothing");
        }
        if (!root.isArray()) {
            return List.of(root);
        }
        if (root.size() > limit) {
            throw new BadReportException("body: must be at most " + limit + " reports, found " + root.size());
        }
        List<JsonNode> objects = new ArrayList<>();
        root.forEach(objects::add);
        return objects;
    }

    /**
     * A report with none but these keys.
     *
     * @throws BadReportException when it is no object or has another key
     */
    static ReportFields of(JsonNode object, Set<String> keys) throws BadReportException {
        if (!object.isObject()) {
            throw new BadReportException("report: must be a JSON object, found " + object.getNodeType());
        }
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            if (!keys.contains(field.getKey())) {
                throw new BadReportException(field.getKey() + ": unknown key" + Settings.nearest(field.getKey(), keys));
            }
        }
        return new ReportFields(object);
    }

    @Nullable
    String text(String key) throws BadReportException {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        if (!(value.isTextual() || value.isIntegralNumber()) || value.asText().isEmpty()) {
            throw new BadReportException(key + ": must be a text, found " + value);
        }
        if (value.asText().length() > MAX_TEXT) {
            throw new BadReportException(key + ": must be at most " + MAX_TEXT + " characters, found "
                    + value.asText().length());
        }
        return value.asText();
    }

    String requiredText(String key) throws BadReportException {
        String text = text(key);
        if (text == null) {
            throw new BadReportException(key + ": must be set, found nothing");
        }
        return text;
    }

    double requiredNumber(String key) throws BadReportException {
        JsonNode value = value(key);
        if (value == null || !value.isNumber() || !Double.isFinite(value.asDouble())) {
            throw new BadReportException(
                    key + ": must be a finite number, found " + (value == null ? "nothing" : value.toString()));
        }
        return value.asDouble();
    }

    @Nullable
    Long whole(String key) throws BadReportException {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
            throw new BadReportException(key + ": must be a whole number from 0 on, found " + value);
        }
        return value.asLong();
    }

    @Nullable
    Boolean flag(String key) throws BadReportException {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        if (!value.isBoolean()) {
            throw new BadReportException(key + ": must be true or false, found " + value);
        }
        return value.asBoolean();
    }

    /** Labels: texts or numbers by name. */
    Map<String, String> labels(String key) throws BadReportException {
        JsonNode value = value(key);
        Map<String, String> labels = new TreeMap<>();
        if (value == null) {
            return labels;
        }
        if (!value.isObject() || value.size() > MAX_LABELS) {
            throw new BadReportException(key + ": must be an object with at most " + MAX_LABELS + " entries, found "
                    + (value.isObject() ? value.size() + " entries" : value.toString()));
        }
        ReportFields inner = new ReportFields(value);
        for (Map.Entry<String, JsonNode> label : value.properties()) {
            String text = inner.text(label.getKey());
            if (text != null) {
                labels.put(label.getKey(), text);
            }
        }
        return labels;
    }

    private @Nullable JsonNode value(String key) {
        JsonNode value = object.get(key);
        return value == null || value.isNull() ? null : value;
    }
}
