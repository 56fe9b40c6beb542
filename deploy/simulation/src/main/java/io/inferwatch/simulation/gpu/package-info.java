/** NVIDIA's driver libraries without a device: C sources, compiled here, that answer by a script. */
@NullMarked
package io.inferwatch.simulation.gpu;

import org.jspecify.annotations.NullMarked;
