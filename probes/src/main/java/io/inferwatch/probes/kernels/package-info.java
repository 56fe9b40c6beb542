/** Kernel profiles of Nsight Compute, PyTorch's profiler and users' own CUDA-event timers, imported as events. */
@NullMarked
package io.inferwatch.probes.kernels;

import org.jspecify.annotations.NullMarked;
