/** A reverse proxy that forwards every byte at once and unchanged, and measures beside the stream. */
@NullMarked
package io.inferwatch.probes.proxy;

import org.jspecify.annotations.NullMarked;
