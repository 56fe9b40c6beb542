package io.inferwatch.probes.gpu.nvml;

/** NVML cannot be used as a whole; the message is one line for people. */
public final class NvmlException extends Exception {
    private static final long serialVersionUID = 1;

    private final NvmlStatus status;

    NvmlException(NvmlStatus status, String message) {
        super(message);
        this.status = status;
    }

    /** What NVML said. */
    public NvmlStatus status() {
        return status;
    }

    /** Whether this host or container has no driver, so that trying again is of no use. */
    public boolean isAbsent() {
        return status == NvmlStatus.LIBRARY_NOT_FOUND || status == NvmlStatus.DRIVER_NOT_LOADED;
    }
}
