package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of events are read, and where a {@link RequestRow} keeps them: the fields that accounting needs, and those that the
 * catalogue names. Nothing else is decoded.
 */
public final class EventLayout {
    /** Slots that every layout has. */
    static final List<String> FIXED_NUMBERS = List.of(
            "sequence",
            "completedAtMicros",
            "traffic",
            "outcome",
            "sampleWeight",
            "nextSequence",
            "eventTimeMicros",
            "emittedAtMicros",
            "source",
            "ttftMicros",
            "tpotNanos",
            "e2eMicros",
            "sloTtftMicros",
            "sloTpotNanos",
            "sloE2eMicros");

    static final List<String> FIXED_TEXTS = List.of("stream", "replica", "node");

    private final List<String> numbers = new ArrayList<>(FIXED_NUMBERS);
    private final List<String> texts = new ArrayList<>(FIXED_TEXTS);
    private final List<String> bytes = new ArrayList<>();

    private EventLayout() {}

    /**
     * The layout that a catalogue needs.
     *
     * @throws InvalidSettingsException when the catalogue names fields that events lack
     */
    public static EventLayout of(MetricCatalogue catalogue) {
        EventLayout layout = new EventLayout();
        List<String> problems = new ArrayList<>();
        for (Metric metric : catalogue.metrics()) {
            if (metric.of().views() != Metric.Origin.REQUESTS) {
                continue;
            }
            Schema schema =
                    metric.of() == Metric.Origin.REQUESTS ? RequestEvent.getClassSchema() : Heartbeat.getClassSchema();
            MetricValue.fields(metric.value())
                    .forEach(field -> layout.add(schema, field, "metrics." + metric.name(), problems));
            metric.when().ifPresent(field -> layout.add(schema, field, "metrics." + metric.name(), problems));
        }
        for (GroupingDimension dimension : ofRequests(catalogue)) {
            Schema schema = RequestEvent.getClassSchema();
            String key = "dimensions." + dimension.name();
            if (dimension instanceof GroupingDimension.Values values) {
                layout.add(schema, values.field(), key, problems);
            } else if (dimension instanceof GroupingDimension.Buckets buckets) {
                layout.add(schema, buckets.field(), key, problems);
                buckets.shareOf().ifPresent(field -> layout.add(schema, field, key, problems));
                buckets.when().ifPresent(field -> layout.add(schema, field, key, problems));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException("metric catalogue", problems);
        }
        return layout;
    }

    /** The dimensions that views of requests group by, those that a product is made of included. */
    private static Set<GroupingDimension> ofRequests(MetricCatalogue catalogue) {
        Set<GroupingDimension> dimensions = new LinkedHashSet<>();
        for (View view : catalogue.views()) {
            if (view.of() == Metric.Origin.REQUESTS) {
                for (GroupingDimension dimension : view.by()) {
                    dimensions.add(dimension);
                    if (dimension instanceof GroupingDimension.Product product) {
                        dimensions.add(product.first());
                        dimensions.add(product.second());
                    }
                }
            }
        }
        return dimensions;
    }

    /** Slot of a number or enum field; -1 when it is not read. */
    public int number(String field) {
        return numbers.indexOf(field);
    }

    /** Slot of a text field; -1 when it is not read. */
    public int text(String field) {
        return texts.indexOf(field);
    }

    /** Slot of a bytes field; -1 when it is not read. */
    public int bytes(String field) {
        return bytes.indexOf(field);
    }

    List<String> numbers() {
        return numbers;
    }

    int textCount() {
        return texts.size();
    }

    int bytesCount() {
        return bytes.size();
    }

    private void add(Schema schema, String field, String key, List<String> problems) {
        Schema.Type type = type(schema, field);
        List<String> slots = type == null
                ? null
                : switch (type) {
                    case INT, LONG -> numbers;
                    case STRING -> texts;
                    case BYTES -> bytes;
                    default -> null;
                };
        if (slots == null) {
            List<String> known =
                    schema.getFields().stream().map(Schema.Field::name).toList();
            problems.add(key + ": must be a whole-number, text or bytes field of " + schema.getName() + ", found '"
                    + field + "'" + io.inferwatch.schemas.settings.Settings.nearest(field, known));
        } else if (!slots.contains(field)) {
            slots.add(field);
        }
    }

    private static Schema.@Nullable Type type(Schema schema, String name) {
        Schema.Field field = schema.getField(name);
        if (field == null) {
            return null;
        }
        Schema type = field.schema();
        if (type.getType() == Schema.Type.UNION) {
            return type.getTypes().stream()
                    .map(Schema::getType)
                    .filter(t -> t != Schema.Type.NULL)
                    .findFirst()
                    .orElseThrow();
        }
        return type.getType();
    }
}
