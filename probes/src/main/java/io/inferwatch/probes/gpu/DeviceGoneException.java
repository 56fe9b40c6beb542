package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.nvml.NvmlStatus;

/** The device as a whole, not one of its readings, does not answer. */
final class DeviceGoneException extends Exception {
    private static final long serialVersionUID = 1;

    private final NvmlStatus status;

    DeviceGoneException(NvmlStatus status) {
        super(status.describe());
        this.status = status;
    }

    NvmlStatus status() {
        return status;
    }
}
