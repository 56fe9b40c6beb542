package io.inferwatch.analytics.kernel;

/** Who timed a kernel or stage. */
public enum TimingSource {
    /** The server's own CUDA events: the least disturbance, hence what the others are compared with. */
    CUDA_EVENTS,
    /** PyTorch's profiler: the same run, traced. */
    KINETO,
    /** Nsight Compute: kernels one by one, replayed, by default with clocks held fast. */
    NSIGHT_COMPUTE
}
