/** The load generator: what to send and when, sending it on time, and what came of it. */
@NullMarked
package io.inferwatch.probes.load;

import org.jspecify.annotations.NullMarked;
