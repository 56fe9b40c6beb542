package io.inferwatch.probes.identity;

import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Which server a probe watches. Each part comes from the settings' section {@code replica}, else from the environment, where Kubernetes'
 * downward API puts it; what neither says is null. Only the replica's name must be there: a stable slot such as {@code chat-0}, which a
 * stateful set's pod name is, but a deployment's is not.
 *
 * @param placement node, pod, region, pool, model and version
 * @param configurationName what tells engine configurations apart where they are compared, e.g. awq
 * @param configuration engine settings that tell configurations apart
 */
public record ReplicaIdentity(
        String replica,
        ReplicaState.Placement placement,
        @Nullable String cluster,
        @Nullable String service,
        @Nullable String engine,
        @Nullable String engineVersion,
        List<String> gpuUuids,
        @Nullable String migId,
        @Nullable Long maxContextTokens,
        @Nullable String configurationName,
        Map<String, String> configuration) {
    private static final Pattern STATEFUL_POD = Pattern.compile(".*-\\d{1,5}");
    private static final long MAX_CONTEXT_TOKENS = 1_000_000_000;

    /** Unmodifiable. */
    public ReplicaIdentity {
        gpuUuids = List.copyOf(gpuUuids);
        configuration = Map.copyOf(configuration);
    }

    /** Reads the section; problems are the section's. */
    public static ReplicaIdentity of(Settings section, Map<String, String> environment) {
        Sources sources = new Sources(section, environment);
        String pod = sources.text("pod", "INFERWATCH_POD", "POD_NAME");
        String migId = sources.text("mig-id", "INFERWATCH_MIG_ID");
        List<String> gpuUuids =
                section.list("gpu-uuids", Function.identity(), uuids(environment.get("NVIDIA_VISIBLE_DEVICES")));
        String replica = sources.text("name", "INFERWATCH_REPLICA");
        if (replica == null && pod != null && STATEFUL_POD.matcher(pod).matches()) {
            replica = pod;
        }
        if (replica == null) {
            section.problem("name", "set, here or in INFERWATCH_REPLICA", "nothing");
        }
        long maxContextTokens = section.integer("max-context-tokens", 0, MAX_CONTEXT_TOKENS, 0);
        return new ReplicaIdentity(
                replica == null ? "" : replica,
                new ReplicaState.Placement(
                        sources.text("node", "INFERWATCH_NODE", "NODE_NAME"),
                        pod,
                        sources.text("region", "INFERWATCH_REGION"),
                        sources.text("pool", "INFERWATCH_POOL"),
                        sources.text("model", "INFERWATCH_MODEL"),
                        sources.text("version", "INFERWATCH_VERSION")),
                sources.text("cluster", "INFERWATCH_CLUSTER"),
                sources.text("service", "INFERWATCH_SERVICE", "OTEL_SERVICE_NAME"),
                sources.text("engine", "INFERWATCH_ENGINE"),
                sources.text("engine-version", "INFERWATCH_ENGINE_VERSION"),
                gpuUuids,
                migId != null
                        ? migId
                        : gpuUuids.stream()
                                .filter(ReplicaIdentity::isMig)
                                .findFirst()
                                .orElse(null),
                maxContextTokens == 0 ? null : Long.valueOf(maxContextTokens),
                sources.text("configuration-name", "INFERWATCH_CONFIGURATION_NAME"),
                section.section("configuration").texts());
    }

    /** Says on the event where it ran; a model, version or service that it has already is kept. */
    public void fill(RequestEvent event) {
        event.setReplica(replica);
        event.setNode(placement.node());
        event.setPod(placement.pod());
        event.setRegion(placement.region());
        event.setPool(placement.pool());
        event.setModel(event.getModel() == null ? placement.model() : event.getModel());
        event.setVersion(event.getVersion() == null ? placement.version() : event.getVersion());
        event.setCluster(cluster);
        event.setService(event.getService() == null ? service : event.getService());
        event.setEngine(event.getEngine() == null ? engine : event.getEngine());
        event.setEngineVersion(event.getEngineVersion() == null ? engineVersion : event.getEngineVersion());
        event.setGpuUuids(gpuUuids);
        event.setMigId(migId);
        event.setMaxContextTokens(event.getMaxContextTokens() == null ? maxContextTokens : event.getMaxContextTokens());
        event.setConfigurationName(configurationName);
        event.setConfiguration(configuration);
    }

    /** Says on a sample where it was taken, as far as its schema has a field for that and the sample does not say it itself. */
    public void place(SpecificRecord sample) {
        put(sample, "node", placement.node());
        put(sample, "region", placement.region());
        put(sample, "pool", placement.pool());
        put(sample, "cluster", cluster);
        put(sample, "service", service);
        put(sample, "pod", placement.pod());
        put(sample, "model", placement.model());
        put(sample, "version", placement.version());
        put(sample, "engine", engine);
        put(sample, "engineVersion", engineVersion);
        put(sample, "migId", migId);
        put(sample, "gpuUuids", gpuUuids);
        put(sample, "configuration", configuration);
    }

    private static void put(SpecificRecord sample, String name, @Nullable Object value) {
        Schema.Field field = sample.getSchema().getField(name);
        if (field != null && sample.get(field.pos()) == null) {
            sample.put(field.pos(), value);
        }
    }

    /** What NVIDIA's container runtime was told, as far as it is ids and neither numbers nor {@code all}. */
    private static List<String> uuids(@Nullable String visibleDevices) {
        return visibleDevices == null
                ? List.of()
                : Arrays.stream(visibleDevices.split(",", -1))
                        .map(String::trim)
                        .filter(device -> device.startsWith("GPU-") || isMig(device))
                        .toList();
    }

    private static boolean isMig(String device) {
        return device.startsWith("MIG-");
    }

    private record Sources(Settings section, Map<String, String> environment) {
        @Nullable
        String text(String key, String... variables) {
            String text = section.text(key, "");
            if (!text.isEmpty()) {
                return text;
            }
            for (String variable : variables) {
                String value = environment.get(variable);
                if (value != null && !value.isBlank()) {
                    return value.trim();
                }
            }
            return null;
        }
    }
}
