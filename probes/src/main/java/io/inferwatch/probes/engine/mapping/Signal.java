package io.inferwatch.probes.engine.mapping;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One thing that an engine tells, under any of the names that it has had. */
public sealed interface Signal {
    /** What it is called in reports: the record's field, or the histogram's name. */
    String name();

    /**
     * Its series, newest name first: the first of these that a page has is read, the others are the same once more. Each is a sum of selections.
     */
    List<List<Selector>> names();

    /** How the values of several series become one. */
    enum Combine {
        /** Shares of a whole. */
        SUM,
        /** The greatest counts. */
        MAX
    }

    /** What kind of number it is. */
    enum Kind {
        /** A value of the moment. */
        GAUGE,
        /** A total that falls only when its process starts anew. */
        COUNTER,
        /** The number of the last event of its kind: a change to another one is an event. */
        LAST_CODE,
        /** How many events a sliding window holds: a rise is events. */
        WINDOWED_COUNT,
        /** The bits of reasons, which the driver tells too. */
        REASONS
    }

    /**
     * A number for a field of the record.
     *
     * @param factor makes the field's unit of the engine's
     * @param least what a value may be, in the engine's unit; others are rejected
     * @param most the same
     * @param board whether it is the whole device's, even where it is repeated for each of its instances
     * @param mark a caution that a sample with it carries
     */
    record Value(
            RecordField field,
            Kind kind,
            Combine combine,
            double factor,
            double least,
            double most,
            boolean board,
            @Nullable String mark,
            List<List<Selector>> names)
            implements Signal {
        /** Unmodifiable. */
        public Value {
            names = List.copyOf(names);
        }

        @Override
        public String name() {
            return field.name();
        }
    }

    /**
     * A histogram of durations.
     *
     * @param basis what one observation is
     * @param microsPerUnit makes microseconds of the engine's unit
     */
    record Distribution(String name, String basis, double microsPerUnit, List<List<Selector>> names) implements Signal {
        /** Unmodifiable. */
        public Distribution {
            names = List.copyOf(names);
        }
    }

    /**
     * A series whose labels are what it tells. Of several, the one with the greatest value is the present one.
     *
     * @param numbers labels by the record's field for a number
     * @param lists labels by the record's field for a list, whose items are divided by commas
     * @param configuration labels that tell configurations apart
     */
    record Info(
            String name,
            Map<RecordField, String> numbers,
            Map<RecordField, String> lists,
            List<String> configuration,
            List<List<Selector>> names)
            implements Signal {
        /** Unmodifiable. */
        public Info {
            numbers = Map.copyOf(numbers);
            lists = Map.copyOf(lists);
            configuration = List.copyOf(configuration);
            names = List.copyOf(names);
        }
    }
}
