package io.inferwatch.schemas;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.jspecify.annotations.Nullable;

/**
 * Every writer schema that may stand in Kafka: the present ones and all that were ever released, by CRC-64-AVRO fingerprint. A
 * consumer therefore reads what any released probe wrote, without a registry to ask.
 */
public final class ReleasedSchemas {
    private static final List<Schema> PRESENT = List.of(
            RequestEvent.getClassSchema(),
            Heartbeat.getClassSchema(),
            EngineSample.getClassSchema(),
            GpuSample.getClassSchema(),
            KernelProfile.getClassSchema(),
            OperatorMetric.getClassSchema(),
            WindowStat.getClassSchema(),
            DriftResult.getClassSchema(),
            ComparisonResult.getClassSchema(),
            FigureResult.getClassSchema(),
            Setting.getClassSchema(),
            Alert.getClassSchema(),
            DeadLetter.getClassSchema(),
            HealthSample.getClassSchema());

    private static final ReleasedSchemas ALL = load();

    private final Map<Long, Schema> byFingerprint;
    private final Map<String, List<Schema>> released;

    private ReleasedSchemas(Map<Long, Schema> byFingerprint, Map<String, List<Schema>> released) {
        this.byFingerprint = byFingerprint;
        this.released = released;
    }

    /** All known schemas. */
    public static ReleasedSchemas all() {
        return ALL;
    }

    /** The schema with that fingerprint, or null. */
    public @Nullable Schema byFingerprint(long fingerprint) {
        return byFingerprint.get(fingerprint);
    }

    /** The schemas of each release, in the order of the releases, as they were published. */
    public Map<String, List<Schema>> byRelease() {
        return released;
    }

    /** The schemas that this build writes. */
    public static List<Schema> present() {
        return PRESENT;
    }

    /** These and one more, as if it had been released too. */
    ReleasedSchemas with(Schema schema) {
        Map<Long, Schema> more = new HashMap<>(byFingerprint);
        more.put(SchemaNormalization.parsingFingerprint64(schema), schema);
        return new ReleasedSchemas(Map.copyOf(more), released);
    }

    private static ReleasedSchemas load() {
        Map<Long, Schema> byFingerprint = new HashMap<>();
        Map<String, List<Schema>> released = new LinkedHashMap<>();
        for (String path : lines("released/index.txt")) {
            String release = path.substring(0, path.indexOf('/'));
            Schema schema = new Schema.Parser().parse(String.join("\n", lines("released/" + path)));
            released.computeIfAbsent(release, r -> new ArrayList<>()).add(schema);
            byFingerprint.put(SchemaNormalization.parsingFingerprint64(schema), schema);
        }
        for (Schema schema : PRESENT) {
            byFingerprint.put(SchemaNormalization.parsingFingerprint64(schema), schema);
        }
        released.replaceAll((release, schemas) -> List.copyOf(schemas));
        return new ReleasedSchemas(Map.copyOf(byFingerprint), Collections.unmodifiableMap(released));
    }

    private static List<String> lines(String resource) {
        try (InputStream stream = ReleasedSchemas.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("resource missing from the jar: " + resource);
            }
            return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }
}
