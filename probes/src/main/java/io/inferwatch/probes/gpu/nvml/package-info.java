/** NVIDIA's management library as it answers: calls in, values or the reason for none out. Knows no event, no file and no other package of the probes. */
@NullMarked
package io.inferwatch.probes.gpu.nvml;

import org.jspecify.annotations.NullMarked;
