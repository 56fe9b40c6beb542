package io.inferwatch.probes.kernels;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.inferwatch.probes.kernels.KernelCall.Counted;
import io.inferwatch.schemas.settings.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * JSON lines of a program's own timers, one timed stretch a line: {@code kernel} and {@code duration_us} (a number, from a pair of CUDA events), and, where it
 * is known, {@code stage}, {@code precision}, {@code layer}, {@code head}, {@code flops}. A key that is none of these is an error.
 */
final class TimerLinesReader {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Set<String> KEYS =
            Set.of("kernel", "duration_us", "stage", "precision", "layer", "head", "flops");

    private TimerLinesReader() {}

    static void read(Path file, Consumer<KernelCall> calls) {
        try (BufferedReader reader = ProfileFile.open(file)) {
            long number = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (!line.isBlank()) {
                    calls.accept(call(line, file + ":" + number));
                }
            }
        } catch (IOException e) {
            throw ProfileFile.unreadable(file, e);
        }
    }

    private static KernelCall call(String line, String place) {
        JsonNode object;
        try {
            object = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new BadProfileException(place + ": must be a JSON object, found " + e.getOriginalMessage());
        }
        if (!object.isObject()) {
            throw new BadProfileException(place + ": must be a JSON object, found " + object.getNodeType());
        }
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            if (!KEYS.contains(field.getKey())) {
                throw new BadProfileException(
                        place + ": " + field.getKey() + ": unknown key" + Settings.nearest(field.getKey(), KEYS));
            }
        }
        String kernel = text(object, "kernel", place);
        if (kernel == null) {
            throw new BadProfileException(place + ": kernel: must be set, found nothing");
        }
        Map<Counted, Double> counted = new EnumMap<>(Counted.class);
        if (object.hasNonNull("flops")) {
            counted.put(Counted.FLOPS, number(object, "flops", place));
        }
        return new KernelCall(
                kernel,
                text(object, "stage", place),
                text(object, "precision", place),
                text(object, "layer", place),
                text(object, "head", place),
                Math.round(number(object, "duration_us", place) * 1_000),
                counted);
    }

    private static @Nullable String text(JsonNode object, String key, String place) {
        JsonNode value = object.get(key);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!(value.isTextual() || value.isIntegralNumber()) || value.asText().isBlank()) {
            throw new BadProfileException(place + ": " + key + ": must be a text, found " + value);
        }
        return value.asText();
    }

    private static double number(JsonNode object, String key, String place) {
        JsonNode value = object.get(key);
        if (value == null || !value.isNumber() || !Double.isFinite(value.asDouble()) || value.asDouble() < 0) {
            throw new BadProfileException(place + ": " + key + ": must be a number from 0 on, found "
                    + (value == null ? "nothing" : value.toString()));
        }
        return value.asDouble();
    }
}
