package io.inferwatch.probes.engine.mapping;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one engine tells.
 *
 * @param ranks labels of processes that share one piece of work and each tell the whole of it: their greatest value counts once
 * @param device where its series tell of GPUs, how these are told apart
 */
public record Engine(
        String name,
        Set<String> ranks,
        List<Signal> signals,
        @Nullable Device device) {
    /**
     * How the GPUs of a page are told apart, and what is told of each.
     *
     * @param uuid labels with the device's id, any of which may be there
     * @param instance label with the number of the MIG instance
     * @param index label with the device's number on its host
     * @param product label with the product's name
     */
    public record Device(
            List<String> uuid,
            String instance,
            String index,
            String product,
            String origin,
            List<Signal.Value> signals) {
        /** Unmodifiable. */
        public Device {
            uuid = List.copyOf(uuid);
            signals = List.copyOf(signals);
        }

        /** The device's id on a series with these labels; where it has none, its number stands for it. */
        public String id(Map<String, String> labels) {
            for (String label : uuid) {
                String id = labels.get(label);
                if (id != null && !id.isEmpty()) {
                    return id;
                }
            }
            return "gpu-" + labels.getOrDefault(index, "unknown");
        }
    }

    /** Unmodifiable. */
    public Engine {
        ranks = Set.copyOf(ranks);
        signals = List.copyOf(signals);
    }
}
