package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.Capability;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.Schema;

/** What is understood of a page, for people. */
record CheckReport(MappingTable table, TargetReadings readings, TargetReadings.Page page) {
    private static final Set<String> NOT_READ =
            Set.of("stream", "sequence", "sampledAtMicros", "intervalMicros", "gpu", "state", "origin", "memorySource");

    /** Whether anything was recognised. */
    boolean print(PrintWriter out) {
        EngineSample engine = page.engine();
        out.println("engine: " + (engine == null ? "none recognised" : engine.getEngine())
                + (engine == null || engine.getModel() == null ? "" : ", model " + engine.getModel()) + "; mapping "
                + table.version());
        out.println(page.samples() + " samples: " + page.mapped() + " mapped, "
                + (page.samples() - page.mapped() - page.unknown()) + " known and not needed, " + page.unknown()
                + " unknown");
        Map<String, TargetReadings.Finding> found = new LinkedHashMap<>();
        readings.findings().forEach(finding -> found.putIfAbsent(finding.signal(), finding));
        if (!found.isEmpty()) {
            out.println();
            found.values()
                    .forEach(finding -> out.println(String.format(
                            Locale.ROOT, "  %-28s %-24s %s", finding.signal(), finding.value(), finding.series())));
        }
        page.gpus().forEach(gpu -> print(out, gpu));
        if (engine != null) {
            capabilities(out, found.keySet());
            grids(out);
        }
        readings.rejections()
                .forEach((reason, count) -> out.println("rejected: " + count + " "
                        + reason.name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        if (!readings.unknownNames().isEmpty()) {
            out.println();
            out.println("unknown series:");
            readings.unknownNames().forEach(name -> out.println("  " + name));
        }
        return engine != null || !page.gpus().isEmpty();
    }

    private static void print(PrintWriter out, GpuSample gpu) {
        out.println();
        out.println("GPU " + gpu.getGpu() + (gpu.getMigId() == null ? "" : ", instance " + gpu.getMigId()));
        for (Schema.Field field : gpu.getSchema().getFields()) {
            Object value = gpu.get(field.pos());
            boolean isEmpty = (value instanceof List<?> list && list.isEmpty())
                    || (value instanceof Map<?, ?> map && map.isEmpty());
            if (value != null && !isEmpty && !NOT_READ.contains(field.name())) {
                out.println(String.format(Locale.ROOT, "  %-28s %s", field.name(), value));
            }
        }
    }

    private void capabilities(PrintWriter out, Set<String> found) {
        out.println();
        for (Capability capability : table.capabilities()) {
            List<String> missing = new ArrayList<>();
            for (List<String> need : capability.needs()) {
                if (need.stream().noneMatch(found::contains)) {
                    missing.add(String.join(" or ", need));
                }
            }
            out.println(String.format(
                    Locale.ROOT,
                    "  %-28s %s",
                    capability.name(),
                    missing.isEmpty() ? "yes" : "missing " + String.join(", ", missing)));
        }
    }

    private void grids(PrintWriter out) {
        GridCheck check = new GridCheck(table.finest());
        String problems = readings.grids().entrySet().stream()
                .map(entry -> Map.entry(
                        entry.getKey(), check.problems(entry.getKey(), Objects.requireNonNull(entry.getValue()))))
                .filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> "  " + entry.getKey() + ": " + String.join("; ", entry.getValue()))
                .collect(Collectors.joining("\n"));
        if (!problems.isEmpty()) {
            out.println();
            out.println("buckets too coarse for P50 and P99:");
            out.println(problems);
        }
    }
}
