/** What GPUs, their MIG instances and the processes on them are doing: from NVML, a CUDA canary and the host's kernel to samples. */
@NullMarked
package io.inferwatch.probes.gpu;

import org.jspecify.annotations.NullMarked;
