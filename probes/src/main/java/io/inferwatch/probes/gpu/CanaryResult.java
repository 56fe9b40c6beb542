package io.inferwatch.probes.gpu;

/** What became of a canary that was due. */
enum CanaryResult {
    /** It ran, and everything was measured in the time allowed. */
    WHOLE,
    /** It ran, and was cut short by its limit of time. */
    CUT_SHORT,
    /** Free memory was below the limit, or unknown. */
    NO_ROOM,
    /** The device is split by MIG, lost or unreadable. */
    NOT_ON_THIS_DEVICE,
    /** CUDA refused. */
    FAILED
}
