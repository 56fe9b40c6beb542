package io.inferwatch.simulation.memory;

/**
 * A device and what its serving process keeps on it.
 *
 * @param contextBytes of the driver, the libraries and others, outside of the allocator
 * @param workspaceBytes what the allocator may hold beside weights, KV cache and graphs
 */
public record DeviceSpec(
        String uuid,
        long totalBytes,
        long weightBytes,
        long kvCacheBytes,
        long graphBytes,
        long contextBytes,
        long workspaceBytes) {
    private static final long GIB = 1L << 30;

    /** An A100 80 GB with 15 GiB of weights, and room for 6 GiB of activations. */
    public static DeviceSpec a100(String uuid, long kvCacheBytes) {
        return new DeviceSpec(uuid, 80 * GIB, 15 * GIB, kvCacheBytes, GIB, GIB / 2, 6 * GIB);
    }
}
