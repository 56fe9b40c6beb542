package io.inferwatch.simulation.serving;

import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.memory.DeviceSpec;

/**
 * A server: who it is, what it runs, and the seed of all its chance.
 *
 * @param replica stable slot
 * @param nextVersion what is deployed by {@link Fault#SLOWER_VERSION}
 */
public record ServerSpec(
        String replica,
        String node,
        String region,
        String pool,
        String model,
        String version,
        String nextVersion,
        EngineSpec engine,
        Stages stages,
        Guardrail guardrail,
        long seed) {
    /** Keys and values of 32 layers, 8 heads of 128, two bytes each. */
    private static final long KV_BYTES_PER_TOKEN = 2 * 32 * 8 * 128 * 2;

    /** Llama 3.1 8B on an A100, as replica number {@code number} of a pool whose nodes hold one each. */
    public static ServerSpec usual(int number, long seed) {
        return new ServerSpec(
                "replica-" + number,
                "node-" + number,
                "region-0",
                "pool-0",
                "simulated-llama-3.1-8b",
                "v1",
                "v2",
                EngineSpec.llama8bOnA100(),
                Stages.usual(),
                Guardrail.NONE,
                seed * 1_000_003 + number);
    }

    /** Its device: an A100 80 GB that holds the weights and the KV cache of {@link #engine}. */
    public DeviceSpec device() {
        long kvCacheBytes = (long) engine.blocks() * engine.blockTokens() * KV_BYTES_PER_TOKEN;
        return DeviceSpec.a100("GPU-simulated-" + replica, kvCacheBytes);
    }

    /** The same with another model. */
    public ServerSpec withModel(String name) {
        return new ServerSpec(replica, node, region, pool, name, version, nextVersion, engine, stages, guardrail, seed);
    }

    /** The same with another version. */
    public ServerSpec withVersion(String name) {
        return new ServerSpec(replica, node, region, pool, model, name, nextVersion, engine, stages, guardrail, seed);
    }

    /** The same with another engine. */
    public ServerSpec withEngine(EngineSpec spec) {
        return new ServerSpec(replica, node, region, pool, model, version, nextVersion, spec, stages, guardrail, seed);
    }

    /** The same with other stages. */
    public ServerSpec withStages(Stages times) {
        return new ServerSpec(replica, node, region, pool, model, version, nextVersion, engine, times, guardrail, seed);
    }

    /** The same with another guardrail. */
    public ServerSpec withGuardrail(Guardrail kind) {
        return new ServerSpec(replica, node, region, pool, model, version, nextVersion, engine, stages, kind, seed);
    }
}
