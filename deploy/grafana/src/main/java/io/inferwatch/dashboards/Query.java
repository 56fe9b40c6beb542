package io.inferwatch.dashboards;

import io.inferwatch.influx.InfluxQl;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A query of a panel, in InfluxQL with Grafana's macros. */
public sealed interface Query {
    /** Its text. */
    String influxQl();

    /** The names of the values that its answer has, beside the time. */
    default List<String> labels() {
        return columns().stream().map(Column::label).toList();
    }

    /** The values, for their units and colours. */
    List<Column> columns();

    /** Where its points come from. */
    Source source();

    /** The tags by which it tells series apart. */
    List<String> by();

    /** How Grafana is to read the answer. */
    String resultFormat();

    /** How Grafana is to name its series. */
    default String alias() {
        return "";
    }

    /**
     * Series over time. An interval that holds several points shows what each column takes of them.
     *
     * @param by tags by which series are told apart
     */
    record OverTime(Source source, List<Column> columns, List<String> by) implements Query {
        @Override
        public String influxQl() {
            return "SELECT " + selected(columns) + " FROM " + source.from() + " WHERE " + source.where() + " GROUP BY "
                    + Stream.concat(Stream.of("time($__interval)"), by.stream().map(InfluxQl::identifier))
                            .collect(Collectors.joining(", "))
                    + " fill(null)";
        }

        @Override
        public String resultFormat() {
            return "time_series";
        }

        @Override
        public String alias() {
            List<String> parts = new ArrayList<>();
            by.forEach(tag -> parts.add("$tag_" + tag));
            if (by.isEmpty() || columns.size() > 1) {
                parts.add("$col");
            }
            return String.join(" · ", parts);
        }
    }

    /**
     * One row for each series: what each column takes of the whole time range.
     *
     * @param by tags by which rows are told apart
     */
    record OverRange(Source source, List<Column> columns, List<String> by) implements Query {
        @Override
        public String influxQl() {
            return "SELECT " + selected(columns) + " FROM " + source.from() + " WHERE " + source.where()
                    + groupedBy(by);
        }

        @Override
        public String resultFormat() {
            return "table";
        }
    }

    /** The newest points themselves, one a row. */
    record Newest(Source source, List<Column> columns, int limit) implements Query {
        @Override
        public String influxQl() {
            return "SELECT " + selected(columns) + " FROM " + source.from() + " WHERE " + source.where()
                    + " ORDER BY time DESC LIMIT " + limit;
        }

        @Override
        public List<String> by() {
            return List.of();
        }

        @Override
        public String resultFormat() {
            return "table";
        }
    }

    /**
     * Of the last states, those that meet a condition.
     *
     * @param columns of the last states
     * @param by tags that tell the subjects of states apart; rows of the answer
     * @param shown those of the tags that the answer has
     * @param condition on the labels of columns, in InfluxQL
     */
    record LastStates(Source source, List<Column> columns, List<String> by, List<String> shown, String condition)
            implements Query {
        /** With all tags. */
        LastStates(Source source, List<Column> columns, List<String> by, String condition) {
            this(source, columns, by, by, condition);
        }

        @Override
        public String influxQl() {
            String all = Stream.concat(shown.stream(), labels().stream())
                    .map(InfluxQl::identifier)
                    .collect(Collectors.joining(", "));
            return "SELECT " + all + " FROM (" + new OverRange(source, columns, by).influxQl() + ") WHERE " + condition;
        }

        @Override
        public String resultFormat() {
            return "table";
        }
    }

    private static String selected(List<Column> columns) {
        return columns.stream().map(Column::select).collect(Collectors.joining(", "));
    }

    private static String groupedBy(List<String> tags) {
        return tags.isEmpty()
                ? ""
                : tags.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ", " GROUP BY ", ""));
    }
}
