/** A fleet of simulated servers in virtual time: what probes beside them would have published, hours of it in seconds. */
@NullMarked
package io.inferwatch.simulation.fleet;

import org.jspecify.annotations.NullMarked;
