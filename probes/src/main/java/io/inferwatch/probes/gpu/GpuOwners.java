package io.inferwatch.probes.gpu;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which replica runs on which device: by the settings' section {@code replicas}, each with {@code gpu-uuids}; else, where the environment names a replica as Kubernetes'
 * downward API does beside a server, that one on all of them. Without either, a sample says only where its host is.
 */
public final class GpuOwners {
    private static final String[] NODE = {"INFERWATCH_NODE", "NODE_NAME", "HOSTNAME"};

    private final Map<String, ReplicaIdentity> byUuid;
    private final Optional<ReplicaIdentity> only;
    private final Map<String, String> environment;

    private GpuOwners(
            Map<String, ReplicaIdentity> byUuid, Optional<ReplicaIdentity> only, Map<String, String> environment) {
        this.byUuid = byUuid;
        this.only = only;
        this.environment = environment;
    }

    /** Reads the section {@code replicas} of a settings file; problems are the section's. */
    static GpuOwners of(Settings root, Map<String, String> environment) {
        Map<String, ReplicaIdentity> byUuid = new HashMap<>();
        root.section("replicas").sections().forEach((name, section) -> {
            Map<String, String> named = new HashMap<>(environment);
            named.remove("NVIDIA_VISIBLE_DEVICES");
            named.put("INFERWATCH_REPLICA", name);
            ReplicaIdentity replica = ReplicaIdentity.of(section, named);
            List<String> uuids = new ArrayList<>(replica.gpuUuids());
            if (replica.migId() != null && !uuids.contains(replica.migId())) {
                uuids.add(replica.migId());
            }
            if (uuids.isEmpty()) {
                section.problem("gpu-uuids", "a list of GPU-… or MIG-…", "none");
            }
            for (String uuid : uuids) {
                if (byUuid.put(uuid, replica) != null) {
                    section.problem("gpu-uuids", "of one replica alone", uuid + " twice");
                }
            }
        });
        boolean isSidecar = byUuid.isEmpty() && environment.containsKey("INFERWATCH_REPLICA");
        return new GpuOwners(
                byUuid,
                isSidecar
                        ? Optional.of(ReplicaIdentity.of(Settings.parse("environment", ""), environment))
                        : Optional.empty(),
                environment);
    }

    /** Says on the sample whose it is. */
    void fill(GpuSample sample) {
        ReplicaIdentity owner = sample.getMigId() == null ? null : byUuid.get(sample.getMigId());
        if (owner == null) {
            owner = byUuid.get(sample.getGpu());
        }
        if (owner == null) {
            owner = only.orElse(null);
        }
        if (owner == null) {
            sample.setNode(first(NODE));
            sample.setRegion(first("INFERWATCH_REGION"));
            sample.setPool(first("INFERWATCH_POOL"));
            sample.setCluster(first("INFERWATCH_CLUSTER"));
            return;
        }
        sample.setReplica(owner.replica());
        sample.setNode(
                owner.placement().node() == null
                        ? first(NODE)
                        : owner.placement().node());
        sample.setPod(owner.placement().pod());
        sample.setRegion(owner.placement().region());
        sample.setPool(owner.placement().pool());
        sample.setModel(owner.placement().model());
        sample.setVersion(owner.placement().version());
        sample.setCluster(owner.cluster());
        sample.setService(owner.service());
    }

    private @Nullable String first(String... variables) {
        for (String variable : variables) {
            String value = environment.get(variable);
            if (value != null && !value.isBlank()) {
                return value.strip();
            }
        }
        return null;
    }
}
