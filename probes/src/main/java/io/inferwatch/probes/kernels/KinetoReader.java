package io.inferwatch.probes.kernels;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.probes.kernels.KernelCall.Counted;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A trace of PyTorch's profiler: events of category {@code kernel} with a duration are calls; the annotations of the device's timeline that lie around a call
 * ({@code gpu_user_annotation}, the innermost first) say its stage, layer and head. Times are microseconds with fractions. The file is read as a stream: kernels
 * and annotations are kept, the rest passes.
 */
final class KinetoReader {
    private static final ObjectMapper JSON = new ObjectMapper(new JsonFactory());

    private record Annotation(long device, long stream, double start, double end, String name) {
        boolean holds(Kernel kernel) {
            return kernel.device == device && kernel.start >= start && kernel.start < end;
        }
    }

    private record Kernel(
            long device, long stream, double start, double durationMicros, String name, Map<Counted, Double> counted) {}

    private KinetoReader() {}

    static void read(Path file, Consumer<KernelCall> calls) {
        List<Kernel> kernels = new ArrayList<>();
        List<Annotation> annotations = new ArrayList<>();
        try (InputStream in = ProfileFile.bytes(file);
                JsonParser parser = JSON.createParser(in)) {
            if (!findEvents(parser)) {
                throw new BadProfileException(file + ": must be a trace with traceEvents, found none");
            }
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                JsonNode event = JSON.readTree(parser);
                String category = event.path("cat").asText().toLowerCase(java.util.Locale.ROOT);
                if (!event.path("ph").asText().equals("X") || !event.path("dur").isNumber()) {
                    continue;
                }
                if (category.equals("kernel")) {
                    kernels.add(kernel(event));
                } else if (category.equals("gpu_user_annotation")) {
                    annotations.add(annotation(event));
                }
            }
        } catch (JsonProcessingException e) {
            throw new BadProfileException(file + ": must be JSON, found " + e.getOriginalMessage());
        } catch (IOException e) {
            throw ProfileFile.unreadable(file, e);
        }
        annotations.sort(Comparator.comparingDouble(Annotation::start));
        kernels.sort(Comparator.comparingDouble(Kernel::start));
        hand(kernels, annotations, calls);
    }

    /** Goes to the first event; false when there is no list of events. */
    private static boolean findEvents(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            return parser.currentToken() == JsonToken.START_ARRAY;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean isEvents = parser.currentName().equals("traceEvents");
            parser.nextToken();
            if (isEvents) {
                return parser.currentToken() == JsonToken.START_ARRAY;
            }
            parser.skipChildren();
        }
        return false;
    }

    private static Kernel kernel(JsonNode event) {
        JsonNode args = event.path("args");
        Map<Counted, Double> counted = new EnumMap<>(Counted.class);
        if (args.path("est. achieved occupancy %").isNumber()) {
            counted.put(
                    Counted.OCCUPANCY_RATIO,
                    args.path("est. achieved occupancy %").asDouble() / 100);
        }
        if (args.path("flops").isNumber()) {
            counted.put(Counted.FLOPS, args.path("flops").asDouble());
        }
        return new Kernel(
                args.path("device").asLong(event.path("pid").asLong()),
                args.path("stream").asLong(event.path("tid").asLong()),
                event.path("ts").asDouble(),
                event.path("dur").asDouble(),
                event.path("name").asText(),
                counted);
    }

    private static Annotation annotation(JsonNode event) {
        double start = event.path("ts").asDouble();
        return new Annotation(
                event.path("args").path("device").asLong(event.path("pid").asLong()),
                event.path("args").path("stream").asLong(event.path("tid").asLong()),
                start,
                start + event.path("dur").asDouble(),
                event.path("name").asText());
    }

    /** In order of time, so that the annotations that may lie around a kernel are few. */
    private static void hand(List<Kernel> kernels, List<Annotation> annotations, Consumer<KernelCall> calls) {
        List<Annotation> open = new ArrayList<>();
        int next = 0;
        for (Kernel kernel : kernels) {
            while (next < annotations.size() && annotations.get(next).start <= kernel.start) {
                open.add(annotations.get(next++));
            }
            open.removeIf(annotation -> annotation.end <= kernel.start);
            // The innermost began last.
            List<String> around = open.stream()
                    .filter(annotation -> annotation.holds(kernel))
                    .sorted(Comparator.comparingDouble(Annotation::start).reversed())
                    .map(Annotation::name)
                    .toList();
            calls.accept(new KernelCall(
                    KernelNames.plain(kernel.name),
                    said(around, KernelNames::stageOfAnnotation)
                            .or(() -> KernelNames.stageOfKernel(kernel.name))
                            .orElse(null),
                    null,
                    said(around, KernelNames::layer).orElse(null),
                    said(around, KernelNames::head).orElse(null),
                    Math.round(kernel.durationMicros * 1_000),
                    kernel.counted));
        }
    }

    private static Optional<String> said(List<String> around, Function<String, Optional<String>> what) {
        return around.stream().map(what).flatMap(Optional::stream).findFirst();
    }
}
