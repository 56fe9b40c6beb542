package io.inferwatch.jobs.device;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Evidence;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Severity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Alerts of processes far from their device, with the command that mends it. Not thread safe. */
final class PlacementAlerts {
    /** Name of the alert, and of its runbook page. */
    static final String NAME = "placement";

    private final EventCodec codec = new EventCodec();

    /**
     * The record of a change.
     *
     * @param sinceMicros when it began
     * @param atMicros end of the minute that shows the change
     */
    OutboundRecord record(Placement placement, AlertState state, long sinceMicros, long atMicros) {
        GpuSample sample = placement.sample();
        String fingerprint = NAME + ':' + device(sample);
        Alert alert = new Alert(
                fingerprint,
                NAME,
                state,
                Severity.TICKET,
                sinceMicros,
                atMicros,
                state == AlertState.FIRING ? null : Long.valueOf(atMicros),
                labels(sample),
                summary(placement, state),
                evidence(placement),
                List.of());
        return new OutboundRecord(fingerprint.getBytes(StandardCharsets.UTF_8), codec.encode(alert), atMicros / 1_000);
    }

    private static String device(GpuSample sample) {
        return sample.getMigId() == null ? sample.getGpu() : sample.getGpu() + '/' + sample.getMigId();
    }

    private static Map<String, String> labels(GpuSample sample) {
        Map<String, String> labels = new TreeMap<>();
        put(labels, "view", DeviceFunction.VIEW);
        put(labels, "gpu", sample.getGpu());
        put(labels, "mig", sample.getMigId());
        put(labels, "node", sample.getNode());
        put(labels, "replica", sample.getReplica());
        return labels;
    }

    private static void put(Map<String, String> labels, String name, @Nullable String value) {
        if (value != null) {
            labels.put(name, value);
        }
    }

    private static String summary(Placement placement, AlertState state) {
        String who =
                placement.processText().map(process -> "process " + process).orElse("the process");
        String device = device(placement.sample())
                + (placement.sample().getNode() == null
                        ? ""
                        : " of node " + placement.sample().getNode());
        return switch (state) {
            case FIRING -> who + " computes on " + device + " and may run on none of the processors near it";
            case RESOLVED -> "all processes of " + device + " may run near it again";
            default -> device + " is not heard of any more";
        };
    }

    private static List<Evidence> evidence(Placement placement) {
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(new Evidence(
                "far processes",
                (double) placement.far(),
                (double) placement.sample().getProcesses().size(),
                "of those that hold memory of the device"));
        Integer numaNode = placement.sample().getNumaNode();
        if (numaNode != null) {
            evidence.add(new Evidence("NUMA node of the device", numaNode.doubleValue(), null, null));
        }
        placement
                .near()
                .ifPresent(
                        near -> evidence.add(new Evidence("processors near", count(near.cpus()), null, near.cpus())));
        placement
                .actualCpus()
                .ifPresent(cpus -> evidence.add(new Evidence("processors allowed", count(cpus), null, cpus)));
        placement.command().ifPresent(command -> evidence.add(new Evidence("mends it now", 1.0, null, command)));
        placement
                .start()
                .ifPresent(start -> evidence.add(new Evidence("mends it at the next start", 1.0, null, start + " …")));
        return evidence;
    }

    /** Processors in a list like 0-31,64-95; 0 in one that is none. */
    static double count(String cpus) {
        double count = 0;
        for (String range : cpus.split(",", -1)) {
            String[] ends = range.split("-", -1);
            try {
                int first = Integer.parseInt(ends[0].trim());
                int last = Integer.parseInt(ends[ends.length - 1].trim());
                count += Math.max(0, last - first + 1);
            } catch (NumberFormatException e) {
                return 0;
            }
        }
        return count;
    }
}
