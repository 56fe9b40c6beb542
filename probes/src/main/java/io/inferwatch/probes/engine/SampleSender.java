package io.inferwatch.probes.engine;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Topic;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Says on samples whose they are, and hands them to the publisher, which counts what it must drop. */
final class SampleSender {
    private SampleSender() {}

    static void send(
            Target target,
            TargetReadings.Page page,
            Function<String, @Nullable ReplicaIdentity> owners,
            EventPublisher publisher) {
        EngineSample sample = page.engine();
        if (sample != null) {
            fill(sample, target.identity());
            var unused = publisher.publish(Topic.ENGINE, target.replica(), sample);
        }
        for (GpuSample gpu : page.gpus()) {
            fill(gpu, target.identity(), owners);
            var unused = publisher.publish(Topic.GPU, gpu.getGpu(), gpu);
        }
    }

    /** What was given goes before what the page says, but for the engine's name, which the page knows best. */
    static void fill(EngineSample sample, ReplicaIdentity identity) {
        ReplicaState.Placement placement = identity.placement();
        sample.setReplica(identity.replica());
        sample.setNode(placement.node());
        sample.setPod(placement.pod());
        sample.setRegion(placement.region());
        sample.setPool(placement.pool());
        sample.setModel(placement.model() == null ? sample.getModel() : placement.model());
        sample.setVersion(placement.version());
        sample.setCluster(identity.cluster());
        sample.setService(identity.service());
        sample.setEngine(sample.getEngine() == null ? identity.engine() : sample.getEngine());
        sample.setEngineVersion(identity.engineVersion());
        sample.setGpuUuids(identity.gpuUuids());
        sample.setMigId(identity.migId());
        Map<String, String> configuration = new TreeMap<>(sample.getConfiguration());
        configuration.putAll(identity.configuration());
        sample.setConfiguration(configuration);
    }

    /** A GPU's replica is the one that says it has it; otherwise only the host is known. */
    private static void fill(
            GpuSample sample, ReplicaIdentity exporter, Function<String, @Nullable ReplicaIdentity> owners) {
        ReplicaIdentity owner = owners.apply(sample.getMigId() == null ? sample.getGpu() : sample.getMigId());
        if (owner != null) {
            ReplicaState.Placement placement = owner.placement();
            sample.setReplica(owner.replica());
            sample.setPod(placement.pod() == null ? sample.getPod() : placement.pod());
            sample.setPool(placement.pool());
            sample.setModel(placement.model());
            sample.setVersion(placement.version());
            sample.setService(owner.service());
        }
        ReplicaState.Placement host = exporter.placement();
        sample.setNode(host.node() == null ? sample.getNode() : host.node());
        sample.setRegion(host.region());
        sample.setCluster(exporter.cluster());
    }
}
