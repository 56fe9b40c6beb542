/** The memory of a device without a device: a caching allocator, and what a serving process asks of it. Plain Java, deterministic. */
@NullMarked
package io.inferwatch.simulation.memory;

import org.jspecify.annotations.NullMarked;
