package io.inferwatch.probes.gpu;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.pods.Pod;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which replica runs on which device: by the settings' section {@code replicas}, each with {@code gpu-uuids}; else by the pod that the kubelet says holds it, which is
 * the replica of the section that names it, or a replica of its own name; else, where the environment names a replica as Kubernetes' downward API does beside a server,
 * that one on all of them. Without any, a sample says only where its host is.
 */
public final class GpuOwners {
    private static final String[] NODE = {"INFERWATCH_NODE", "NODE_NAME", "HOSTNAME"};

    private final Map<String, ReplicaIdentity> byUuid;
    private final Map<String, ReplicaIdentity> byPod;
    private final Function<String, @Nullable Pod> holders;
    private final Optional<ReplicaIdentity> only;
    private final Map<String, String> environment;

    private GpuOwners(
            Map<String, ReplicaIdentity> byUuid,
            Map<String, ReplicaIdentity> byPod,
            Function<String, @Nullable Pod> holders,
            Optional<ReplicaIdentity> only,
            Map<String, String> environment) {
        this.byUuid = byUuid;
        this.byPod = byPod;
        this.holders = holders;
        this.only = only;
        this.environment = environment;
    }

    /** Reads the section {@code replicas} of a settings file; problems are the section's. */
    static GpuOwners of(Settings root, Map<String, String> environment) {
        Map<String, ReplicaIdentity> byUuid = new HashMap<>();
        Map<String, ReplicaIdentity> byPod = new HashMap<>();
        root.section("replicas").sections().forEach((name, section) -> {
            Map<String, String> named = new HashMap<>(environment);
            // What is the probe's own, not the replica's.
            named.keySet().removeAll(List.of("NVIDIA_VISIBLE_DEVICES", "POD_NAME", "INFERWATCH_POD"));
            named.put("INFERWATCH_REPLICA", name);
            ReplicaIdentity replica = ReplicaIdentity.of(section, named);
            List<String> uuids = new ArrayList<>(replica.gpuUuids());
            if (replica.migId() != null && !uuids.contains(replica.migId())) {
                uuids.add(replica.migId());
            }
            String pod = replica.placement().pod();
            if (pod != null && byPod.put(pod, replica) != null) {
                section.problem("pod", "of one replica alone", pod + " twice");
            }
            if (uuids.isEmpty() && pod == null) {
                section.problem("gpu-uuids", "a list of GPU-… or MIG-…, or pod given", "neither");
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
                byPod,
                uuid -> null,
                isSidecar
                        ? Optional.of(ReplicaIdentity.of(Settings.parse("environment", ""), environment))
                        : Optional.empty(),
                environment);
    }

    /** The same, with pods that hold devices. */
    GpuOwners with(Function<String, @Nullable Pod> known) {
        return new GpuOwners(byUuid, byPod, known, only, environment);
    }

    /** Says on the sample whose it is. */
    void fill(GpuSample sample) {
        ReplicaIdentity owner = sample.getMigId() == null ? null : byUuid.get(sample.getMigId());
        if (owner == null) {
            owner = byUuid.get(sample.getGpu());
        }
        Pod pod = owner == null ? holders.apply(sample.getMigId() == null ? sample.getGpu() : sample.getMigId()) : null;
        if (pod != null) {
            owner = byPod.get(pod.name());
        }
        if (pod != null && owner == null) {
            fillHost(sample);
            sample.setReplica(pod.name());
            sample.setPod(pod.name());
            return;
        }
        if (owner == null) {
            owner = only.orElse(null);
        }
        if (owner == null) {
            fillHost(sample);
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
        sample.setConfigurationName(owner.configurationName());
        sample.setCluster(owner.cluster());
        sample.setService(owner.service());
    }

    private void fillHost(GpuSample sample) {
        sample.setNode(first(NODE));
        sample.setRegion(first("INFERWATCH_REGION"));
        sample.setPool(first("INFERWATCH_POOL"));
        sample.setCluster(first("INFERWATCH_CLUSTER"));
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
