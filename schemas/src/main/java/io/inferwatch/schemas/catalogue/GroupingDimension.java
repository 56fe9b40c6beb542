package io.inferwatch.schemas.catalogue;

import java.util.List;
import java.util.Optional;

/** A dimension by which windows are grouped. */
public sealed interface GroupingDimension {
    /** The value of events that have none. */
    String NONE = "none";

    /** The value that stands for all beyond a limit. */
    String OTHER = "other";

    /** Its name, the tag of points. */
    String name();

    /**
     * A text field, each value a group, up to a limit.
     *
     * @param per the dimension for each of whose values the limit holds, if not overall
     */
    record Values(String name, String field, int limit, Optional<String> per) implements GroupingDimension {}

    /**
     * A number field, or its percentage of another, cut into buckets.
     *
     * @param shareOf the field that the value is a percentage of, if it is one
     * @param when the field without which an event has no value, if there is one
     * @param edges lower bounds of all buckets but the first, rising
     * @param labels one more than edges
     */
    record Buckets(
            String name,
            String field,
            Optional<String> shareOf,
            Optional<String> when,
            List<Long> edges,
            List<String> labels)
            implements GroupingDimension {
        /** Buckets with unmodifiable lists. */
        public Buckets {
            edges = List.copyOf(edges);
            labels = List.copyOf(labels);
        }

        /** The label of a value's bucket. */
        public String label(long value) {
            int bucket = 0;
            while (bucket < edges.size() && value >= edges.get(bucket)) {
                bucket++;
            }
            return labels.get(bucket);
        }
    }

    /** Two bucketed dimensions as one; its values are {@code first.second}. */
    record Product(String name, Buckets first, Buckets second) implements GroupingDimension {}
}
