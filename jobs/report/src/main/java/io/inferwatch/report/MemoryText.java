package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.influx.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;

/** Memory as tables for people or as JSON. Estimates have a tilde. */
final class MemoryText {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BYTES = "bytes";
    private static final double GIGA = 1e9;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final int DEVICE_TEXTS = 5;
    private static final int REPLICA_TEXTS = 4;

    private MemoryText() {}

    static List<String> table(MemoryReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("memory: latest minute of each device and replica from " + report.from() + " to " + report.to()
                + "; ~ is estimated, all else measured");
        if (!report.devices().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of(
                    "gpu",
                    "mig",
                    "node",
                    "replica",
                    "at",
                    "used",
                    "of",
                    "weights",
                    "kv cache",
                    "graphs",
                    "workspace",
                    "fragments",
                    "other",
                    "cached",
                    "split",
                    "external",
                    "unusable",
                    "retries",
                    "failed",
                    "growth an hour",
                    "95 % limits",
                    "full in",
                    "95 % limits"));
            report.devices().forEach(device -> rows.add(row(device)));
            lines.add("");
            lines.addAll(TableText.align(rows, DEVICE_TEXTS));
        }
        if (!report.replicas().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of(
                    "replica",
                    "model",
                    "version",
                    "at",
                    "kv used",
                    "at most",
                    "waste",
                    "in last blocks",
                    "in layers",
                    "stranded",
                    "preempted",
                    "growth an hour",
                    "95 % limits",
                    "full in",
                    "95 % limits"));
            report.replicas().forEach(replica -> rows.add(ofReplica(replica)));
            lines.add("");
            lines.addAll(TableText.align(rows, REPLICA_TEXTS));
        }
        return lines;
    }

    /** One JSON object; figures under the names that they are stored under. */
    static String json(MemoryReport report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("from", report.from().toString());
        root.put("to", report.to().toString());
        add(root.putArray("devices"), report.devices());
        add(root.putArray("replicas"), report.replicas());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static void add(ArrayNode array, List<MemoryReport.Subject> subjects) {
        for (MemoryReport.Subject subject : subjects) {
            ObjectNode node = array.addObject();
            subject.tags().forEach(node::put);
            node.put("at", subject.at().toString());
            subject.figures().forEach(node::put);
        }
    }

    private static List<String> row(MemoryReport.Subject device) {
        List<String> row = new ArrayList<>(List.of(
                device.tag("gpu"),
                device.tag("mig"),
                device.tag("node"),
                device.tag("replica"),
                device.at().toString()));
        for (String part : List.of(
                Field.USED,
                Field.CAPACITY,
                Field.WEIGHTS,
                Field.KV_CACHE_PART,
                Field.GRAPHS,
                Field.WORKSPACE,
                Field.FRAGMENTED,
                Field.OTHER_PART)) {
            row.add(measuredOrEstimated(device, part, BYTES, MemoryText::gigabytes));
        }
        for (String share : List.of(Field.CACHE_SHARE, Field.SPLIT_SHARE, Field.EXTERNAL_SHARE, Field.UNUSABLE_SHARE)) {
            row.add(TableText.orNone(device.figure(share), TableText::percent));
        }
        row.add(TableText.orNone(device.figure(Field.ALLOCATION_RETRIES), MemoryText::whole));
        row.add(TableText.orNone(device.figure(Field.OUT_OF_MEMORY), MemoryText::whole));
        addTrend(row, device, "bytes_per_second", perSecond -> signed(perSecond * SECONDS_PER_HOUR / GIGA) + " GB");
        return row;
    }

    private static List<String> ofReplica(MemoryReport.Subject replica) {
        List<String> row = new ArrayList<>(List.of(
                replica.tag("replica"),
                replica.tag("model"),
                replica.tag("version"),
                replica.at().toString()));
        for (String share :
                List.of(Field.USE, Field.USE_MAX, Field.WASTE, Field.TAIL_WASTE, Field.LAYER_WASTE, Field.STRANDED)) {
            row.add(measuredOrEstimated(replica, share, "", TableText::percent));
        }
        row.add(TableText.orNone(replica.figure(Field.PREEMPTIONS), MemoryText::whole));
        addTrend(row, replica, "per_hour", TableText::change);
        return row;
    }

    private static void addTrend(
            List<String> row, MemoryReport.Subject subject, String unit, DoubleFunction<String> text) {
        addWithLimits(row, subject, Field.GROWTH, Field.estimated(unit), text);
        addWithLimits(row, subject, Field.FULL_IN, Field.estimated("seconds"), MemoryText::duration);
    }

    private static void addWithLimits(
            List<String> row, MemoryReport.Subject subject, String name, String unit, DoubleFunction<String> text) {
        OptionalDouble low = subject.figure(Field.low(name, unit));
        OptionalDouble high = subject.figure(Field.high(name, unit));
        row.add(TableText.orNone(subject.figure(Field.estimate(name, unit)), value -> "~" + text.apply(value)));
        row.add(
                low.isEmpty()
                        ? TableText.NONE
                        : text.apply(low.getAsDouble()) + " to "
                                + (high.isEmpty() ? "never" : text.apply(high.getAsDouble())));
    }

    private static String measuredOrEstimated(
            MemoryReport.Subject subject, String name, String unit, DoubleFunction<String> text) {
        OptionalDouble measured = subject.figure(Field.estimate(name, unit));
        return measured.isPresent()
                ? text.apply(measured.getAsDouble())
                : TableText.orNone(
                        subject.figure(Field.estimate(name, Field.estimated(unit))), value -> "~" + text.apply(value));
    }

    private static String gigabytes(double bytes) {
        return String.format(Locale.ROOT, "%.2f GB", bytes / GIGA);
    }

    private static String signed(double value) {
        return String.format(Locale.ROOT, "%+.2f", value);
    }

    private static String whole(double value) {
        return Long.toString(Math.round(value));
    }

    private static String duration(double seconds) {
        double minutes = seconds / SECONDS_PER_MINUTE;
        return minutes < 100
                ? String.format(Locale.ROOT, "%.0f min", minutes)
                : String.format(Locale.ROOT, "%.1f h", seconds / SECONDS_PER_HOUR);
    }
}
