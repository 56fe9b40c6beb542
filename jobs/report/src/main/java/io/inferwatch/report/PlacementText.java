package io.inferwatch.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A {@link PlacementReport} for people and for programs. */
final class PlacementText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private PlacementText() {}

    /** Headings, a line for each device, and below them the commands that mend what is far. */
    static List<String> table(PlacementReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("Placement from %s to %s".formatted(report.from(), report.to()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "node", "GPU", "UUID", "MIG", "NUMA", "processors near", "process", "may run on", "verdict", "at"));
        report.devices().forEach(device -> rows.add(row(device)));
        lines.addAll(TableText.align(rows, rows.get(0).size()));
        report.devices().stream().filter(PlacementReport.Device::isFar).forEach(device -> {
            lines.add("");
            lines.add(device.process().orElse("A process") + " on " + device.node() + " is far from "
                    + (device.mig().equals("none") ? device.gpu() : device.gpu() + "/" + device.mig()) + ":");
            device.command().ifPresent(command -> lines.add("  " + command));
            device.start().ifPresent(start -> lines.add("  or start it with: " + start + " ..."));
        });
        return lines;
    }

    private static List<String> row(PlacementReport.Device device) {
        return List.of(
                device.node(),
                text(device.index()),
                device.gpu(),
                device.mig().equals("none") ? TableText.NONE : device.mig(),
                text(device.numaNode()),
                device.recommendedCpus().orElse(TableText.NONE),
                device.process().orElse(TableText.NONE),
                device.actualCpus().orElse(TableText.NONE),
                device.isFar() && !device.isConfirmed() ? "far, not yet confirmed" : device.placed(),
                device.at().toString());
    }

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : TableText.NONE;
    }

    /** One JSON object. */
    static String json(PlacementReport report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("from", report.from().toString());
        root.put("to", report.to().toString());
        var devices = root.putArray("devices");
        for (PlacementReport.Device device : report.devices()) {
            ObjectNode node = devices.addObject();
            node.put("node", device.node());
            node.put("gpu", device.gpu());
            node.put("mig", device.mig());
            device.index().ifPresent(index -> node.put("index", index));
            device.numaNode().ifPresent(numa -> node.put("numaNode", numa));
            put(node, "recommendedCpus", device.recommendedCpus());
            put(node, "process", device.process());
            put(node, "actualCpus", device.actualCpus());
            node.put("placed", device.placed());
            node.put("confirmed", device.isConfirmed());
            put(node, "command", device.command());
            put(node, "start", device.start());
            node.put("at", device.at().toString());
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers is always JSON", e);
        }
    }

    private static void put(ObjectNode node, String key, Optional<String> value) {
        value.ifPresent(text -> node.put(key, text));
    }
}
